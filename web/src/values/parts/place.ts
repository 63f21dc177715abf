/** The members of a location in the form in which the API takes it. */
export const PLACE_MEMBERS = [
  'line_1',
  'line_2',
  'line_3',
  'line_4',
  'locality',
  'region',
  'postcode',
  'country_code',
  'latitude',
  'longitude',
] as const

export type Place = Record<(typeof PLACE_MEMBERS)[number], string | null>

export const emptyPlace = (): Place => ({
  line_1: null,
  line_2: null,
  line_3: null,
  line_4: null,
  locality: null,
  region: null,
  postcode: null,
  country_code: null,
  latitude: null,
  longitude: null,
})

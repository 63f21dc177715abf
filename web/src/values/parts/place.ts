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

export const PLACE_LABELS: Readonly<Record<(typeof PLACE_MEMBERS)[number], string>> = {
  line_1: 'Address line 1',
  line_2: 'Address line 2',
  line_3: 'Address line 3',
  line_4: 'Address line 4',
  locality: 'City',
  region: 'Region',
  postcode: 'Postcode',
  country_code: 'Country',
  latitude: 'Latitude',
  longitude: 'Longitude',
}

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

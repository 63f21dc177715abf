/** Random values for `things`: few short words, hosts and days, so that queries match some records. */

import fc from 'fast-check'
import type { Types } from './evaluator'
import { COLORS, STATES } from './things'

export const word = fc.stringMatching(/^[aAbB%_\\é]{1,4}$/)
export const host = fc.constantFrom('a.com', 'b.com', 'x.a.com', 'a.co.uk')
export const mail = fc.tuple(fc.constantFrom('a', 'b', 'ab'), host).map(([local, at]) => `${local}@${at}`)
export const phone = fc.constantFrom('+14155550100', '+14155550101', '+442079460018', '+442079460019')
export const day = fc.constantFrom('2023-12-31', '2024-01-01', '2024-02-29')
export const moment = fc
  .tuple(day, fc.constantFrom('000000000', '000000001', '123456789', '123456000'))
  .map(([date, nanos]) => `${date}T12:00:00.${nanos}Z`)
export const amount = fc.constantFrom(-2, 0, 0.5, 1, 3)
export const stars = fc.constantFrom(0, 1, 2.5)

const some = <T>(values: fc.Arbitrary<T>) => fc.uniqueArray(values, { minLength: 1, maxLength: 3 })

const place = fc.record({
  line_1: fc.constant(null),
  line_2: fc.constant(null),
  line_3: fc.constant(null),
  line_4: fc.constant(null),
  locality: fc.option(word),
  region: fc.option(word),
  postcode: fc.constant(null),
  country_code: fc.constantFrom('US', 'FR', null),
  latitude: fc.constant(null),
  longitude: fc.constant(null),
})

/** A location needs at least one member to be a value. */
const withoutEmptyPlace = <T extends { place?: object }>({ place, ...rest }: T) =>
  place && Object.values(place).some((member) => member !== null) ? { ...rest, place } : rest

/** The values of one thing. Any of them may be missing. */
export const thing = fc
  .record(
    {
      name: word,
      amount,
      stars,
      price: amount,
      done: fc.boolean(),
      day,
      moment,
      site: host,
      sites: some(host),
      mail,
      phone,
      phones: some(phone),
      place,
      color: fc.constantFrom(...COLORS),
      colors: some(fc.constantFrom(...COLORS)),
      state: fc.constantFrom(...STATES),
    },
    { requiredKeys: [] },
  )
  .map(withoutEmptyPlace)

/** Values of the requested attributes. */
export const TYPES_OF_THINGS: Types = {
  name: 'text',
  amount: 'number',
  stars: 'rating',
  price: 'currency',
  done: 'checkbox',
  day: 'date',
  moment: 'timestamp',
  site: 'domain',
  sites: 'domain',
  mail: 'email-address',
  phone: 'phone-number',
  phones: 'phone-number',
  place: 'location',
  color: 'select',
  colors: 'select',
  state: 'status',
  parent: 'record-reference',
  record_id: 'text',
}

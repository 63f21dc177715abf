/** Random valid values of every type, in the forms in which people write them. */

import fc from 'fast-check'
import { COMPANY_DOMAIN, PERSON_ADDRESS } from './every-type'

/** Any Unicode but NUL and lone surrogates. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .filter((value) => !value.includes('\0') && value.isWellFormed())

const year = fc.integer({ min: 1, max: 9999 }).map((value) => String(value).padStart(4, '0'))
const twoDigits = (min: number, max: number) => fc.integer({ min, max }).map((value) => String(value).padStart(2, '0'))

const date = fc.oneof(
  year,
  fc.tuple(year, twoDigits(1, 12)).map((parts) => parts.join('-')),
  fc.tuple(year, twoDigits(1, 12), twoDigits(1, 28)).map((parts) => parts.join('-')),
)

const zone = fc.constantFrom('', 'Z', '+00:00', '+02:00', '-11:30', '+14:00')
const timestamp = fc
  .tuple(
    fc.integer({ min: 2, max: 9998 }).map((value) => String(value).padStart(4, '0')),
    fc.tuple(twoDigits(1, 12), twoDigits(1, 28)),
    fc.tuple(twoDigits(0, 23), twoDigits(0, 59), twoDigits(0, 59)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,12}$/)),
    zone,
  )
  .map(([inYear, day, time, fraction, ofZone]) => `${inYear}-${day.join('-')}T${time.join(':')}${fraction}${ofZone}`)

const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$/)
const domain = fc
  .tuple(
    fc.constantFrom('', 'https://', 'http://user@'),
    fc.array(label, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('com', 'de', 'co.uk', 'IO'),
    fc.constantFrom('', '/path?q', ':8080'),
  )
  .map(([scheme, labels, suffix, rest]) => `${scheme}${labels.join('.')}.${suffix}${rest}`)

const email = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9_+-]{1,12}(\.[a-z0-9]{1,5})?$/), label, fc.constantFrom('com', 'org', 'Dev'))
  .map(([local, name, suffix]) => `${local}@${name}.${suffix}`)

const phone = fc.oneof(
  fc.integer({ min: 1000, max: 9999 }).map((line) => `+1 212 555 ${line}`),
  fc
    .integer({ min: 1000, max: 9999 })
    .map((line) => ({ original_phone_number: `(212) 555-${line}`, country_code: 'US' })),
  fc.integer({ min: 0, max: 999 }).map((line) => `+44 20 7946 0${String(line).padStart(3, '0')}`),
)

const part = fc.option(text)
const location = fc.oneof(
  fc.record({
    line_1: part,
    line_2: part,
    line_3: part,
    line_4: part,
    locality: part,
    region: part,
    postcode: part,
    country_code: fc.option(fc.constantFrom('US', 'DE', 'GB', 'JP')),
    latitude: fc.option(fc.double({ min: -89, max: 89, noNaN: true }).map((value) => value.toFixed(12))),
    longitude: fc.option(fc.double({ min: -179, max: 179, noNaN: true }).map((value) => value.toFixed(3))),
  }),
  fc.constantFrom('London, UK', '1 Infinite Loop, Cupertino, CA, 95014, US', 'Nowhere'),
)

const currency = fc
  .tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: 0, max: 4 }))
  .chain(([units, decimals]) => fc.constantFrom(units / 10 ** decimals, (units / 10 ** decimals).toFixed(4)))

const reference = fc.constantFrom(
  { target_object: 'people', email_addresses: [PERSON_ADDRESS] },
  { target_object: 'companies', domains: [COMPANY_DOMAIN] },
)

const several = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 5 })

const member = fc.constant('admin@relata.local')

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })

/** The values of one record of the object with every attribute type; any of them may be absent. `uniqueValues` has those of unique attributes. */
export const valuesOfEverything = fc.record(
  {
    text,
    number: finite,
    checkbox: fc.boolean(),
    currency,
    date,
    timestamp,
    rating: fc.double({ min: 0, max: 5, noNaN: true }),
    location,
    status: fc.constantFrom('To do', 'Doing', 'Done'),
    select: fc.constantFrom('Low', 'Medium', 'High'),
    selects: several(fc.constantFrom('Red', 'Green', 'Blue')),
    domain,
    domains: several(domain),
    email,
    emails: several(email),
    phone,
    phones: several(phone),
    member,
    members: several(member),
    person: fc.constant(PERSON_ADDRESS),
    company: fc.constant(COMPANY_DOMAIN),
    anything: reference,
    references: several(reference),
    unique_text: text,
    unique_number: finite,
    unique_timestamp: timestamp,
  },
  { requiredKeys: [] },
)

/** Anything that could stand where a value is expected. */
export const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 })

/** Values, whole or bent: real members with wrong contents are likelier to find a gap than noise. */
export const nearlyValues = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      'text',
      'number',
      'checkbox',
      'currency',
      'date',
      'timestamp',
      'rating',
      'location',
      'status',
      'select',
    ),
    fc.constantFrom(
      'selects',
      'domains',
      'emails',
      'phones',
      'members',
      'references',
      'person',
      'anything',
      'record_id',
    ),
    fc.string({ maxLength: 10 }),
  ),
  fc.oneof(
    anyJson,
    fc.array(anyJson, { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        'value',
        'option',
        'status',
        'domain',
        'email_address',
        'original_phone_number',
        'country_code',
        'currency_value',
        'target_object',
        'target_record_id',
        'email_addresses',
        'referenced_actor_type',
        'referenced_actor_id',
        'workspace_member_email_address',
        'line_1',
        'first_name',
      ),
      fc.oneof(
        anyJson,
        fc.constantFrom(
          'people',
          'workspace-member',
          '01890a5d-ac96-774b-bcce-b302099a8057',
          '\u0000',
          '\ud800',
          1e308,
        ),
      ),
      { maxKeys: 3 },
    ),
  ),
  { maxKeys: 4 },
)

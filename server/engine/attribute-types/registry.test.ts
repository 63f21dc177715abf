/** The rules that every type must follow. */

import { describe, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import contract from '../../../e2e/contract/openapi.json'
import { TYPE_NAMES, type TypeName } from '#vocabulary/data-model'
import { columnsOf, outputTemplate } from './definition/columns'
import { COUNTRY_CODES } from '#vocabulary/countries'
import { CURRENCY_CODES } from '#vocabulary/currencies'
import type { Stored } from './define'
import { attributeType, attributeTypes } from './registry'
import { ADA, attribute, model, OPTIONS } from './testing/sample-model'
import { read, RECORDS, store } from './testing/try-value'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema({ $id: 'contract', ...contract })
const isOutput = ajv.compile({ $ref: 'contract#/components/schemas/attribute-value' })
const isTemplate = ajv.compile({ $ref: 'contract#/components/schemas/output-value' })

const ENVELOPE = {
  active_from: '2025-07-22T15:07:00.895000000Z',
  active_until: null,
  created_by_actor: { type: 'system', id: null },
}

const text = fc.string({ unit: 'grapheme' })
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const instant = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .chain((date) => fc.stringMatching(/^\d{6}$/).map((below) => date.toISOString().replace('Z', `${below}Z`)))
const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/)
const host = fc.tuple(label, label, fc.constantFrom('com', 'co.uk', 'dev')).map((labels) => labels.join('.'))
const current = OPTIONS.filter((option) => !option.is_archived).flatMap(({ id, title }) => [id, title])

/** Values of every writable type, in the forms in which people write them. */
const WRITTEN: Record<Exclude<TypeName, 'interaction'>, fc.Arbitrary<unknown>> = {
  text: text.filter((value) => !value.includes('\0')),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }),
  checkbox: fc.constantFrom(true, false, 'true', 'false'),
  currency: fc.oneof(
    fc.integer().map((cents) => cents / 100),
    fc.stringMatching(/^-?\d{1,26}(\.\d{1,4})?$/),
  ),
  date: instant,
  timestamp: instant,
  rating: fc.double({ min: 0, max: 5, noNaN: true }),
  status: fc.constantFrom(...current),
  select: fc.constantFrom(...current),
  'record-reference': fc
    .constantFrom(...Object.values(RECORDS))
    .map(({ object, id }) => ({ target_object: object.api_slug, target_record_id: id })),
  'actor-reference': fc.constantFrom(ADA.id, ADA.email_address),
  location: fc.oneof(
    text,
    fc.record({
      line_1: orNull(text),
      line_2: orNull(text),
      line_3: orNull(text),
      line_4: orNull(text),
      locality: orNull(text),
      region: orNull(text),
      postcode: orNull(text),
      country_code: orNull(fc.constantFrom(...COUNTRY_CODES)),
      latitude: orNull(fc.stringMatching(/^-?[1-8]?\d\.\d{1,12}$/)),
      longitude: orNull(fc.stringMatching(/^-?1?[1-7]\d\.\d{1,12}$/)),
    }),
  ),
  domain: host.map((name) => `https://${name.toUpperCase()}/path`),
  'email-address': fc
    .tuple(fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}$/), host)
    .map((parts) => parts.join('@')),
  'phone-number': fc.stringMatching(/^\+1 \(212\) 555-\d{4}$/),
  'personal-name': fc.oneof(text, fc.record({ first_name: text, last_name: text, full_name: text })),
}

const written = Object.entries(WRITTEN) as [TypeName, fc.Arbitrary<unknown>][] // the keys are type names

describe.each(TYPE_NAMES)('%s', (name) => {
  const type = attributeTypes[name]

  test('is registered under its own name', () => {
    expect(type.type).toBe(name)
  })

  test('has the default properties of filters and sorts', () => {
    for (const property of [type.defaultProperty, type.defaultSort]) {
      if (property !== null) expect(Object.keys(type.properties)).toContain(property)
    }
    for (const { together } of Object.values(type.properties)) {
      if (together !== undefined) expect(Object.keys(type.properties)).toContain(together)
    }
  })

  test('uses only columns that it declares', () => {
    const columns = columnsOf(attribute(name)).map(({ member }) => member)
    for (const property of Object.values(type.properties)) {
      if (property.source !== 'active_from') expect(columns).toContain(property.column)
      if (property.source === 'column' && property.remainder) expect(columns).toContain(property.remainder)
    }
    for (const member of type.indexed ?? []) expect(columns).toContain(member)
  })
})

describe.each(written)('any %s', (name, raws) => {
  const subject = attribute(name)
  const type = attributeType(name)

  const everyStored = (holds: (stored: Stored) => void | Promise<void>) =>
    fc.assert(
      fc.asyncProperty(raws, async (raw) => {
        const stored = await store(raw, subject)
        if (stored !== undefined) await holds(stored)
      }),
      { numRuns: 60, seed: 1 },
    )

  test('is stored in exactly the members that it declares', () =>
    everyStored((stored) => {
      expect(Object.keys(stored).sort()).toEqual(Object.keys(type.columns).sort())
      expect(Object.values(stored).some((member) => member !== null)).toBe(true)
    }))

  test('is rendered by its output schema and by the contract', () =>
    everyStored((stored) => {
      const members = read(stored, subject)
      expect(Check(type.output, members)).toBe(true)
      isOutput({ ...ENVELOPE, ...members, attribute_type: name })
      expect(isOutput.errors).toBeNull()
      isTemplate(outputTemplate(subject, model, stored))
      expect(isTemplate.errors).toBeNull()
    }))

  test('can be written back as it was rendered', () =>
    everyStored(async (stored) => {
      const again = await store({ ...ENVELOPE, ...read(stored, subject), attribute_type: name }, subject)
      expect(again).toEqual(stored)
      expect(type.key(again!)).toBe(type.key(stored)) // it was just found to be a value
    }))
})

test('countries and currencies are those of the contract', () => {
  expect([...COUNTRY_CODES].map(String)).toEqual(contract.components.schemas['country-code'].enum)
  expect([...CURRENCY_CODES].map(String)).toEqual(contract.components.schemas['currency-code'].enum)
})

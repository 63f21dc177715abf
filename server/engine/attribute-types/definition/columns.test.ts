import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { testDatabase } from '#testing/database'
import { columnsOf } from './columns'
import { attribute } from '#engine/attribute-types/testing/sample-model'
import { store } from '#engine/attribute-types/testing/try-value'

let database: Awaited<ReturnType<typeof testDatabase>>

beforeAll(async () => {
  database = await testDatabase()
})

afterAll(() => database.drop())

describe('columns', () => {
  test('are named by the number of the attribute, and are arrays for several values', () => {
    expect(columnsOf(attribute('domain', { is_multiselect: true }))).toEqual([
      { member: 'domain', sqlType: 'text[]', name: 'a_112_domain' },
      { member: 'root_domain', sqlType: 'text[]', name: 'a_112_root_domain' },
    ])
  })

  test('of attributes that the entity stores are those of the entity', () => {
    expect(columnsOf(attribute('timestamp', { api_slug: 'created_at', stored_in: 'entity' }))).toEqual([
      { member: 'value', sqlType: 'timestamptz', name: 'created_at' },
      { member: 'value_ns', sqlType: 'smallint', name: null },
    ])
  })

  test('do not exist for the derived side of a relationship', () => {
    expect(columnsOf(attribute('record-reference', { stored_in: 'partner' }))).toEqual([])
  })
})

describe('PostgreSQL returns the stored texts', () => {
  test.each([
    ['text', 'a"b\\c 🎉'],
    ['number', 5e-324],
    ['number', -1.7976931348623157e308],
    ['checkbox', 'false'],
    ['currency', '-99999999999999999999999999.9999'],
    ['currency', 1e21],
    ['date', '0001-01-01'],
    ['date', '9999-12-31'],
    ['timestamp', '0001-01-01'],
    ['timestamp', '2025-07-22T15:07:00.895Z'],
    ['timestamp', '2025-07-22T15:07:00.000000001Z'],
    ['timestamp', '9999-12-31T23:59:59.999999999Z'],
    ['rating', 2.5],
    ['select', 'Won'],
    ['actor-reference', 'ada@relata.dev'],
    ['location', '1 Infinite Loop, Cupertino, CA, 95014, US'],
    ['email-address', 'Alice@App.Example.com'],
    ['phone-number', '+1 (212) 555-1234'],
    ['personal-name', 'Smith, John'],
  ] as const)('%s %p', async (type, raw) => {
    const subject = attribute(type)
    const stored = (await store(raw, subject)) ?? {}
    const columns = columnsOf(subject)
    const list = columns
      .map(({ member, sqlType }, index) => `$${index + 1}::text::${sqlType} as "${member}"`)
      .join(', ')
    const texts = columns.map(({ member }) => (stored[member] === null ? null : String(stored[member])))
    const [row] = await database.db.sql.unsafe(`select ${list}`, texts)
    expect({ ...row }).toEqual(stored)
  })
})

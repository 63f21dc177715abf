import { describe, expect, test } from 'bun:test'
import type { Attribute } from '../api/data-model/attributes'
import type { Values } from '../api/records/entities'
import { displayName, nameIn, nameSlugs } from './record-label'

const text = (api_slug: string) =>
  ({ api_slug, type: 'text', is_archived: false, is_system_attribute: true }) as Attribute // the members that are read
const valuesOf = (values: Readonly<Record<string, string>>): Values =>
  Object.fromEntries(
    Object.entries(values).map(([slug, value]) => [
      slug,
      [{ value, active_from: '', active_until: null, created_by_actor: { type: null, id: null }, attribute_type: '' }],
    ]),
  )

const CALLS = { kind: 'activities', slug: 'phone_calls' } as const
const slugs = nameSlugs(CALLS, [text('note')])
const nameOf = (values: Readonly<Record<string, string>>) => nameIn(CALLS, valuesOf(values), slugs)

describe('the name of a record of an activity', () => {
  const timestamp = '2026-03-01T10:00:00Z'
  const time = nameOf({ timestamp })

  test('is its time, without anything else', () => {
    expect(slugs).toEqual(['timestamp', 'note'])
    expect(time).toMatch(/2026/)
    expect(nameOf({ timestamp, note: ' ' })).toBe(time)
    expect(nameOf({})).toBeUndefined()
  })

  test('has the start of its label, which may be long', () => {
    expect(nameOf({ timestamp, note: 'Hello' })).toBe(`${time}: Hello`)
    expect(nameOf({ timestamp, note: `First line\nSecond line` })).toBe(`${time}: First line`)
    expect(nameOf({ timestamp, note: 'x'.repeat(10_000) })).toBe(`${time}: ${'x'.repeat(80)}…`)
  })
})

test('a record of an object is named by its label alone', () => {
  const people = { kind: 'objects', slug: 'people' } as const
  const values = valuesOf({ timestamp: '2026-03-01T10:00:00Z', name: 'Ada' })
  expect(nameIn(people, values, nameSlugs(people, [text('name'), text('timestamp')]))).toBe('Ada')
})

describe('the name of a record that a search or the trash answers', () => {
  const id = { record_id: 'r' }

  test('is its label, and its id stands for none', () => {
    expect(displayName({ id, record_text: 'Ada' })).toBe('Ada')
    expect(displayName({ id, record_text: 'r' })).toBe('Unnamed')
  })

  test('begins with the time of a record of an activity', () => {
    const timestamp = '2026-03-01T10:00:00Z'
    const time = nameOf({ timestamp })
    expect(displayName({ id, timestamp, record_text: 'Hello' })).toBe(`${time}: Hello`)
    expect(displayName({ id, timestamp, record_text: 'r' })).toBe(time ?? '')
  })
})

import { expect, test } from 'bun:test'
import type { Attribute } from '../../../../api/data-model/attributes'
import type { Value } from '../../../../api/records/entities'
import { compareRecords } from './comparison'

const attribute = (api_slug: string, is_archived = false) => ({ api_slug, is_archived }) as Attribute // what is read
const values = (active_from: string, ...texts: string[]): Value[] =>
  texts.map((value) => ({
    active_from,
    active_until: null,
    created_by_actor: { type: 'system', id: null },
    attribute_type: 'text',
    value,
  }))

test('each side shows which of its values are kept, whenever they were written', () => {
  const [name, tags] = compareRecords([attribute('name'), attribute('tags'), attribute('empty')], {
    primary: { name: values('1', 'Ada'), tags: values('1', 'a'), empty: [] },
    secondary: { name: values('2', 'Augusta'), tags: values('2', 'a', 'b') },
    merged: { name: values('3', 'Ada'), tags: values('3', 'a', 'b') },
  })
  expect([name?.primary[0]?.isKept, name?.secondary[0]?.isKept, name?.isSame]).toEqual([true, false, false])
  expect(tags?.secondary.map(({ isKept }) => isKept)).toEqual([true, true])
})

test('equal values are the same; ids, archived attributes and those without values are left out', () => {
  const one = { name: values('1', 'Ada'), record_id: values('1', 'x'), old: values('1', 'o') }
  const rows = compareRecords([attribute('name'), attribute('record_id'), attribute('old', true), attribute('none')], {
    primary: one,
    secondary: { ...one, name: values('2', 'Ada'), record_id: values('1', 'y') },
    merged: { ...one, name: values('3', 'Ada') },
  })
  expect(rows.map((row) => [row.attribute.api_slug, row.isSame])).toEqual([['name', true]])
})

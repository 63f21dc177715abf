import { expect, test } from 'bun:test'
import type { Attribute } from '../data-model/attributes'
import type { Entity } from './entities'
import {
  addParentValues,
  keepParentValues,
  parentAttribute,
  parentSlug,
  sortAlongPath,
  sortByColumn,
  splitFields,
  viewColumn,
} from './parent-values'

const NAME = parentSlug('companies', 'name')
const list = { kind: 'lists', slug: 'sales' } as const

const entry = (id: string, recordId: string): Entity => ({
  id,
  created_at: '',
  values: {},
  parent: { object: 'companies', recordId },
})

const value = (text: string) => ({
  value: text,
  active_from: '',
  active_until: null,
  created_by_actor: { type: null, id: null },
  attribute_type: 'text',
})

test('fields are split, and columns of views have the id of a parent attribute', () => {
  expect(splitFields(['stage', NAME])).toEqual({ own: ['stage'], ofParents: [NAME] })
  expect(splitFields(undefined)).toEqual({ own: undefined, ofParents: [] })
  const own = { api_slug: 'stage', id: { attribute_id: '1' } } as Attribute // what the functions read
  const name = parentAttribute('companies', 'Company', { api_slug: 'name', id: { attribute_id: '7' } } as Attribute)
  expect([viewColumn(name), viewColumn(own)]).toEqual(['parent_record.7', 'stage'])
})

test('a sort by a parent attribute is a path, and the path of a view is a column again', () => {
  const path = [
    ['sales', 'parent_record'],
    ['companies', 'name'],
  ]
  expect(sortAlongPath(list, { attribute: NAME, direction: 'desc' })).toEqual({ path, direction: 'desc' })
  const own = { attribute: 'stage', direction: 'asc' } as const
  expect(sortAlongPath(list, own)).toBe(own)
  const column = { api_slug: NAME, id: { attribute_id: 'parent_record.7' } } as Attribute // what the function reads
  const saved = {
    path: [
      ['1', '2'],
      ['3', '7'],
    ],
    direction: 'asc',
  } as const
  expect(sortByColumn({ ...saved, path: [...saved.path].map((one) => [...one]) }, [column])).toEqual({
    attribute: NAME,
    direction: 'asc',
  })
})

test('the parents of a page are read with one request', async () => {
  const requests: unknown[] = []
  const read = (object: string, ids: readonly string[], fields: readonly string[]) => {
    requests.push([object, ids, fields])
    return Promise.resolve([{ id: 'a', created_at: '', values: { name: [value('Babbage & Sons')] } }])
  }
  const rows = await addParentValues([entry('1', 'a'), entry('2', 'a'), entry('3', 'gone')], [NAME], read)
  expect(requests).toEqual([['companies', ['a', 'gone'], ['name']]])
  expect(rows.map(({ values }) => values[NAME]?.[0]?.value)).toEqual(['Babbage & Sons', 'Babbage & Sons', undefined])
})

test('a column of one parent object is empty for entries of another', async () => {
  const ofPerson: Entity = { ...entry('2', 'p'), parent: { object: 'people', recordId: 'p' } }
  const read = (object: string, ids: readonly string[]) =>
    Promise.resolve(ids.map((id) => ({ id, created_at: '', values: { name: [value(object)] } })))
  const slugs = [NAME, parentSlug('people', 'name')]
  const rows = await addParentValues([entry('1', 'a'), ofPerson], slugs, read)
  expect(rows.map(({ values }) => slugs.map((slug) => values[slug]?.[0]?.value))).toEqual([
    ['companies', undefined],
    [undefined, 'people'],
  ])
})

test('an answer to a write keeps the values of the parent', () => {
  const before = { ...entry('1', 'a'), values: { [NAME]: [value('x')], stage: [] } }
  const now = { ...entry('1', 'a'), values: { stage: [value('y')] } }
  expect(keepParentValues(before, now).values).toEqual({ [NAME]: [value('x')], stage: [value('y')] })
  expect(keepParentValues(undefined, now)).toBe(now)
})

import { expect, test } from 'bun:test'
import type { Attribute } from '../data-model/attributes'
import type { Entity } from './entities'
import {
  addReferencedValues,
  keepReferencedValues,
  PARENT_RECORD,
  referencedAttribute,
  referencedRecord,
  referencedSlug,
  referenceTitle,
  sortAlongPath,
  sortByColumn,
  splitFields,
  viewColumn,
} from './referenced-values'

const NAME = referencedSlug({ reference: PARENT_RECORD, object: 'companies', attribute: 'name' })
const INDUSTRY = referencedSlug({ reference: 'company', object: 'companies', attribute: 'industry' })
const list = { kind: 'lists', slug: 'sales' } as const
const people = { kind: 'objects', slug: 'people' } as const

const value = (members: object) => ({
  ...members,
  active_from: '',
  active_until: null,
  created_by_actor: { type: null, id: null },
  attribute_type: 'text',
})
const reference = (target_record_id: string, target_object = 'companies') => value({ target_object, target_record_id })

const entity = (id: string, slug: string, ...values: Entity['values'][string]): Entity => ({
  id,
  created_at: '',
  values: { [slug]: values },
})

const attribute = (api_slug: string, attribute_id: string, title = '') =>
  ({ api_slug, id: { attribute_id }, title }) as Attribute // what the functions read

test('fields are split, and the references to referenced records are read', () => {
  expect(splitFields(['stage', NAME])).toEqual({ own: ['stage'], referenced: [NAME] })
  expect(splitFields(['name', INDUSTRY])).toEqual({ own: ['name', 'company'], referenced: [INDUSTRY] })
  expect(splitFields(['company', INDUSTRY]).own).toEqual(['company'])
  expect(splitFields(undefined)).toEqual({ own: undefined, referenced: [] })
})

test('columns of views have ids, and parent records their slug', () => {
  const name = attribute('name', '7', 'Name')
  const ofParent = referencedAttribute(
    { reference: attribute(PARENT_RECORD, '1'), title: 'Company', object: 'companies' },
    name,
  )
  const ofCompany = referencedAttribute(
    { reference: attribute('company', '2'), title: 'Employer', object: 'companies' },
    name,
  )
  expect([ofParent, ofCompany, attribute('stage', '3')].map(viewColumn)).toEqual(['parent_record.7', '2.7', 'stage'])
  expect([ofCompany.title, referenceTitle(ofCompany)]).toEqual(['Employer › Name', 'Employer'])
})

test('a sort by a referenced attribute is a path, and the path of a view is a column again', () => {
  const path = [
    ['people', 'company'],
    ['companies', 'industry'],
  ]
  expect(sortAlongPath(people, { attribute: INDUSTRY, direction: 'desc' })).toEqual({ path, direction: 'desc' })
  const own = { attribute: 'name', direction: 'asc' } as const
  expect(sortAlongPath(people, own)).toBe(own)
  expect(sortAlongPath(list, { attribute: NAME, direction: 'asc' })).toMatchObject({
    path: [
      ['sales', 'parent_record'],
      ['companies', 'name'],
    ],
  })
  const saved = () => ({
    path: [
      ['1', '2'],
      ['3', '7'],
    ],
    direction: 'asc' as const,
  })
  const ofParent = attribute(NAME, 'parent_record.7')
  expect(sortByColumn(saved(), [ofParent])).toEqual({ attribute: NAME, direction: 'asc' })
  expect(sortByColumn(saved(), [ofParent, attribute(INDUSTRY, '2.7')]).attribute).toBe(INDUSTRY)
})

test('the records of a page are read with one request for each object', async () => {
  const requests: unknown[] = []
  const read = (object: string, ids: readonly string[], fields: readonly string[]) => {
    requests.push([object, ids, fields])
    return Promise.resolve([{ id: 'a', created_at: '', values: { name: [value({ value: 'Babbage & Sons' })] } }])
  }
  const [first, second] = [entity('1', PARENT_RECORD, reference('a')), entity('2', 'company', reference('a'))]
  const NAME_OF_COMPANY = referencedSlug({ reference: 'company', object: 'companies', attribute: 'name' })
  const all = [first, second, entity('3', 'company', reference('gone')), entity('4', 'company')]
  const rows = await addReferencedValues(all, [NAME, NAME_OF_COMPANY, INDUSTRY], read)
  expect(requests).toEqual([['companies', ['a', 'gone'], ['name', 'industry']]])
  expect(rows.map(({ values }) => [NAME, NAME_OF_COMPANY].map((slug) => values[slug]?.[0]?.value))).toEqual([
    ['Babbage & Sons', undefined],
    [undefined, 'Babbage & Sons'],
    [undefined, undefined],
    [undefined, undefined],
  ])
})

test('a column of one object is empty for references to another', async () => {
  const ofPerson = entity('2', PARENT_RECORD, reference('p', 'people'))
  const read = (object: string, ids: readonly string[]) =>
    Promise.resolve(ids.map((id) => ({ id, created_at: '', values: { name: [value({ value: object })] } })))
  const slugs = [NAME, referencedSlug({ reference: PARENT_RECORD, object: 'people', attribute: 'name' })]
  const rows = await addReferencedValues([entity('1', PARENT_RECORD, reference('a')), ofPerson], slugs, read)
  expect(rows.map(({ values }) => slugs.map((slug) => values[slug]?.[0]?.value))).toEqual([
    ['companies', undefined],
    [undefined, 'people'],
  ])
  expect(slugs.map((slug) => referencedRecord(ofPerson, slug)?.target_record_id)).toEqual([undefined, 'p'])
})

test('an answer to a write keeps the values of a record to which it still refers', () => {
  const [steel, trade] = [[value({ value: 'Steel' })], [value({ value: 'Trade' })]]
  const before = { ...entity('1', 'company', reference('a')), values: { company: [reference('a')], [INDUSTRY]: steel } }
  const same = entity('1', 'company', reference('a'))
  expect(keepReferencedValues(before, same).values[INDUSTRY]).toBe(steel)
  const other = entity('1', 'company', reference('b'))
  expect(keepReferencedValues(before, other).values[INDUSTRY]).toEqual([])
  const shownAtOnce = { ...other, values: { ...other.values, [INDUSTRY]: steel } }
  expect(keepReferencedValues(before, shownAtOnce).values[INDUSTRY]).toEqual([])
  const readAgain = { ...other, values: { ...other.values, [INDUSTRY]: trade } }
  expect(keepReferencedValues(before, readAgain).values[INDUSTRY]).toBe(trade)
  expect(keepReferencedValues(undefined, other)).toBe(other)
})

import { beforeAll, describe, expect, test } from 'bun:test'
import { getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { useTestService } from '#testing/use-service'
import { isLookup, isSmallLookup } from './estimate-cost'
import { UNUSED_RELATIVE_CONTEXT } from '#engine/query/resolve/relative'
import { resolveQuery } from '#engine/query/resolve/resolve-query'
import type { QueryBody } from '#engine/query/parse/schemas'

const service = useTestService()
let model: DataModel
beforeAll(async () => {
  model = await service.appContext.models.get(service.workspaceId)
})

const ID = '0190aaaa-0000-7000-8000-000000000001'

const LOOKUPS: [string, QueryBody][] = [
  ['a unique value', { filter: { email_addresses: 'ada@example.com' } }],
  ['an id', { filter: { record_id: ID } }],
  ['ids', { filter: { record_id: { $in: [ID] } } }],
  ['an id in brackets', { filter: { $and: [{ record_id: ID }] } }],
]

const OTHERS: [string, QueryBody][] = [
  ['everything', {}],
  ['a part of a unique value', { filter: { email_addresses: { $contains: 'ada' } } }],
  ['a text', { filter: { job_title: 'CEO' } }],
  ['no id', { filter: { $not: { record_id: ID } } }],
  ['one or the other', { filter: { $or: [{ record_id: ID }, { job_title: 'CEO' }] } }],
  ['an id and more', { filter: { record_id: ID, job_title: 'CEO' } }],
  ['the creator', { filter: { created_by: { referenced_actor_type: 'system', referenced_actor_id: null } } }],
  ['a sorted id', { filter: { record_id: ID }, sorts: [{ attribute: 'company', direction: 'asc' }] }],
]

const looksUp = (body: QueryBody): boolean =>
  isLookup(resolveQuery(model, getObject(model, 'people'), body, UNUSED_RELATIVE_CONTEXT))

describe('isSmallLookup', () => {
  const ids = (count: number) => ({ filter: { record_id: { $in: Array.from({ length: count }, () => ID) } } })
  test.each([
    ['an id', LOOKUPS[0]![1], true],
    ['ten ids', ids(10), true],
    ['not eleven ids', ids(11), false],
    ['not one of all', OTHERS[0]![1], false],
  ])('%s', (_, body, isShort) => {
    expect(isSmallLookup(resolveQuery(model, getObject(model, 'people'), body, UNUSED_RELATIVE_CONTEXT))).toBe(isShort)
  })
})

describe('isLookup', () => {
  test.each(LOOKUPS)('%s', (_, body) => expect(looksUp(body)).toBe(true))
  test.each(OTHERS)('not %s', (_, body) => expect(looksUp(body)).toBe(false))
})

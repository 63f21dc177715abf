/** Entries are queried like records, and by the records they stand for. Spec: query 3 and 4. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError } from '../errors'
import { findAttribute, getObject } from '../data-model/find'
import type { DataModel, ListOwner } from '../data-model/model'
import { createTable, describeHolderTable } from '../data-model/tables'
import { testService, type TestService } from '../testing/service'
import { resolveQuery } from './resolve-query'
import { compilePage } from './statement'
import { createRecord } from './testing/things'
import type { QueryBody } from './wire'

let service: TestService
let model: DataModel
let list: ListOwner
let acme: string
beforeAll(async () => {
  service = await testService()
  model = await service.platform.models.get(service.workspaceId)
  list = withoutAttributes(model)
  model = { ...model, owners: [...model.owners, list], ownersById: new Map(model.ownersById).set(list.id, list) }
  await service.db.sql.unsafe(createTable(model.schema, describeHolderTable(list, [])))

  acme = await createRecord(service.request, 'companies', { name: 'Acme', domains: ['acme.com'] })
  const ada = await createRecord(service.request, 'people', { name: 'Lovelace, Ada', company: acme })
  const bob = await createRecord(service.request, 'people', { name: 'Builder, Bob' })
  const people = getObject(model, 'people').number
  for (const [index, parent] of [ada, bob, ada].entries()) {
    const id = `00000000-0000-7000-8000-00000000000${index + 1}`
    const at = `2024-01-0${index + 1}`
    const columns = 'id, created_at, created_by, updated_at, updated_by, parent_object, parent_record_id'
    await service.db.sql.unsafe(
      `insert into ${list.table} (${columns}) values ('${id}', '${at}', 0, '${at}', 0, ${people}, '${parent}')`,
    )
  }
}, 60_000)
afterAll(() => service.close())

/** A list of people with nothing but what every holder has. */
function withoutAttributes(model: DataModel): ListOwner {
  const users = getObject(model, 'users')
  const created = [findAttribute(users, 'created_at'), findAttribute(users, 'created_by')].flatMap((each) => each ?? [])
  const list = {
    ...users,
    id: crypto.randomUUID(),
    number: 9999,
    kind: 'list',
    api_slug: 'candidates',
    attributes: created,
  }
  return { ...list, table: '"w_1"."l_9999"' } as unknown as ListOwner // queries use no more of a list than this
}

async function found(body: QueryBody): Promise<string> {
  const { text, parameters } = compilePage(model, list, resolveQuery(model, list, body), 'h.id')
  const rows = await service.db.queries.unsafe<{ id: string }[]>(text, [...parameters], { prepare: false })
  return rows.map(({ id }) => id.slice(-1)).join('')
}

const through = (...path: [string, string][]) => ({ path })

describe('entries', () => {
  test('found by their own attributes', async () => {
    expect(await found({})).toBe('123')
    expect(await found({ filter: { created_at: { $gte: '2024-01-02' } } })).toBe('23')
    expect(
      await found({ filter: { created_by: { referenced_actor_type: 'system', referenced_actor_id: null } } }),
    ).toBe('123')
  })

  test('found by the record they stand for', async () => {
    const people = through(['candidates', 'parent_record'], ['people', 'name'])
    expect(await found({ filter: { ...people, constraints: 'Bob Builder' } })).toBe('2')
    expect(await found({ filter: { $not: { ...people, constraints: { last_name: 'Builder' } } } })).toBe('13')
    const company = through(['candidates', 'parent_record'], ['people', 'company'], ['companies', 'domains'])
    expect(await found({ filter: { ...company, constraints: 'acme.com' } })).toBe('13')
    expect(await found({ filter: { parent_record: { target_object: 'people' } } })).toBe('123')
    expect(await found({ filter: { parent_record: { target_object: 'people', target_record_id: acme } } })).toBe('')
    expect(await found({ filter: { parent_record: { $not_empty: true } } })).toBe('123')
  })

  test('sorted by the record they stand for', async () => {
    const name = [
      ['candidates', 'parent_record'],
      ['people', 'name'],
    ]
    expect(await found({ sorts: [{ direction: 'desc', path: name, field: 'last_name' }] })).toBe('132')
    expect(await found({ sorts: [{ direction: 'asc', attribute: 'parent_record' }] })).toBe('132')
  })

  test('not found by other names of it', () => {
    for (const slug of ['parent_record_id', 'parent_object', 'name']) {
      const query = () => resolveQuery(model, list, { filter: { [slug]: 'x' } })
      expect(query).toThrow(ApiError)
      expect(query).toThrow(`Unknown attribute slug: ${slug}.`)
    }
  })
})

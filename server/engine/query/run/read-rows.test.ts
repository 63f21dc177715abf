import { beforeAll, describe, expect, test } from 'bun:test'
import { rowOf } from '#db/driver/row-messages'
import type { RequestContext } from '#context'
import { getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { useTestService } from '#testing/use-service'
import { idOf } from '#engine/storage/layout'
import { rendererOf } from '#engine/entities/read/render'
import { readRows } from './query-entities'
import { collectorsOf } from './page-body'
import { formQuery } from '#engine/query/forms/compiled-forms'
import { UNUSED_RELATIVE_CONTEXT } from '#engine/query/resolve/relative'
import { resolveQuery } from '#engine/query/resolve/resolve-query'
import { createThing } from '#engine/query/testing/things'
import type { QueryBody } from '#engine/query/parse/schemas'

const service = useTestService()
let model: DataModel

beforeAll(async () => {
  const companies: string[] = []
  for (const name of ['Beta', 'alpha', undefined, 'Gamma']) {
    companies.push(await createThing(service.request, 'companies', name === undefined ? {} : { name }))
  }
  // Every third person has no company. One of four companies has no name, and one has no people.
  for (let n = 0; n < 12; n++) {
    const company = n % 3 === 0 ? {} : { company: companies[n % 3] }
    await createThing(service.request, 'people', { name: `Person, ${n}`, ...company })
  }
  model = await service.appContext.models.get(service.workspaceId)
})

async function idsOf(body: QueryBody, isLong: boolean): Promise<string[]> {
  const people = getObject(model, 'people')
  const context = { model, db: service.db } as RequestContext // all of a call that reading takes
  const { select } = rendererOf(model, people).layout
  return readRows(
    context,
    people,
    formQuery(model, people, resolveQuery(model, people, body, UNUSED_RELATIVE_CONTEXT)),
    {
      select,
      isLong,
      open: collectorsOf((message) => idOf(rowOf(message))),
    },
  )
}

const PATH = [
  ['people', 'company'],
  ['companies', 'name'],
]

describe('rows in the order of a referenced record', () => {
  const cases = [
    { attribute: 'company', direction: 'asc' },
    { attribute: 'company', direction: 'desc' },
    { path: PATH, direction: 'asc' },
    { path: PATH, direction: 'desc' },
  ] as const
  test.each(cases)('are the same when they are read from either side: %j', async (sort) => {
    const sorts = [{ ...sort, ...('path' in sort && { path: sort.path.map((step) => [...step]) }) }]
    for (const limit of [1, 3, 4, 5, 12, 500]) {
      for (const offset of [0, 2, 7, 20]) {
        const body: QueryBody = { sorts, limit, offset }
        expect(await idsOf(body, true)).toEqual(await idsOf(body, false))
      }
    }
  })
})

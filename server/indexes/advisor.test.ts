import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from '../../db/connect'
import { getObject } from '../data-model/find'
import { testService, type TestService } from '../testing/service'
import { createIndexAdvisor } from './advisor'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

test('counts that are being stored are stored when a later flush resolves', async () => {
  const { db, url, appContext, workspaceId } = service
  const watch = createIndexAdvisor({ db, now: appContext.now, fromRows: 0 })
  const model = await appContext.models.get(workspaceId)
  const people = getObject(model, 'people')
  const indexRequest = {
    attributeId: null,
    name: 'wished_for',
    kind: 'ordered',
    definition: 'using btree (id)',
  } as const
  const written = async () => [...(await db.sql`select requests from relata.indexes where name = ${indexRequest.name}`)]
  await watch.sizes.get(people.table)
  watch.want(model, people, [indexRequest])

  const apart = connect(url, { max: 1 })
  const { first, second } = await apart.sql.begin(async (tx) => {
    await tx`lock table relata.indexes in share mode`
    const flushes = { first: watch.flush(), second: watch.flush() }
    expect(await written()).toEqual([])
    expect(Bun.peek.status(flushes.second)).toBe('pending')
    return flushes
  })
  await second
  expect(await written()).toMatchObject([{ requests: 1 }])
  await first
  await Promise.all([watch.close(), apart.close()])
})

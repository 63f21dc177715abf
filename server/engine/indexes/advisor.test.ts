import { expect, test } from 'bun:test'
import { connect } from '#db/connect'
import { getObject } from '#engine/data-model/find'
import { useTestService } from '#testing/use-service'
import { createIndexAdvisor } from './advisor'

const service = useTestService()

test('counts that are being stored are stored when a later flush resolves', async () => {
  const { db, url, appContext, workspaceId } = service
  const advisor = createIndexAdvisor({ db, now: appContext.now, fromRows: 0 })
  const model = await appContext.models.get(workspaceId)
  const people = getObject(model, 'people')
  const indexRequest = {
    attributeId: null,
    name: 'requested_index',
    kind: 'ordered',
    definition: 'using btree (id)',
  } as const
  const storedRequests = async () => [
    ...(await db.sql`select requests from relata.indexes where name = ${indexRequest.name}`),
  ]
  await advisor.sizes.get(people.table)
  advisor.request(model, people, { requests: [indexRequest], requestedBy: () => 'a test' })

  const blocker = connect(url, { max: 1 })
  const { first, second } = await blocker.sql.begin(async (tx) => {
    await tx`lock table relata.indexes in share mode`
    const flushes = { first: advisor.flush(), second: advisor.flush() }
    expect(await storedRequests()).toEqual([])
    expect(Bun.peek.status(flushes.second)).toBe('pending')
    return flushes
  })
  await second
  expect(await storedRequests()).toMatchObject([{ requests: 1 }])
  await first
  await Promise.all([advisor.close(), blocker.close()])
})

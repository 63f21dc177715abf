/** Workspaces that an earlier version created have no system activity before the first start. */

import { expect, test } from 'bun:test'
import { attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'
import { createMissingActivities } from './create-activity'

const service = useTestService()

/** Makes the workspace as an earlier version had it. */
async function removeActivities(): Promise<void> {
  const { db, workspaceId, appContext } = service
  const model = await appContext.models.reload(workspaceId)
  const [calls] = model.entityTypes.filter(({ kind }) => kind === 'activity')
  if (!calls) throw new Error('The workspace has no activity.')
  await db.sql.begin(async (tx) => {
    await tx`
      delete from relata.attributes where workspace_id = ${workspaceId} and relationship_attribute_id in (
        select id from relata.attributes where entity_type_id = ${calls.id})`
    await tx`delete from relata.entity_types where workspace_id = ${workspaceId} and id = ${calls.id}`
    await tx.unsafe(`drop table ${calls.table}`)
  })
  await appContext.models.reload(workspaceId)
}

test('gets the system activity once, with free slugs, and finds it by its own slug', async () => {
  await removeActivities()
  const attribute = { data: attributeInput({ api_slug: 'phone_calls' }) }
  expect((await service.request('POST', '/v2/objects/people/attributes', attribute)).status).toBe(200)
  const names = { api_slug: 'phone_calls', singular_noun: 'Call sheet', plural_noun: 'Call sheets' }
  const { db, workspaceId, appContext } = service
  expect((await service.request('POST', '/v2/objects', { data: names })).status).toBe(200)
  for (let start = 0; start < 2; start++) await createMissingActivities(db, appContext.now)
  await appContext.models.reload(workspaceId)
  const { body } = await service.request('GET', '/v2/activities')
  expect(body.data.map((each: { api_slug: string }) => each.api_slug)).toEqual(['phone_calls_2'])
  expect((await service.request('GET', '/v2/activities/phone_calls')).body.data).toEqual(body.data[0])
  const person = await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })
  const people = [person.body.data.id.record_id]
  const call = await service.request('POST', '/v2/activities/phone_calls/records', { data: { values: { people } } })
  expect(call.status).toBe(200)
  const shown = (await service.request('GET', `/v2/objects/people/records/${people[0]}`)).body.data.values
  expect(shown.phone_calls_2).toEqual([
    expect.objectContaining({
      target_object: 'phone_calls_2',
      target_record_id: call.body.data.id.record_id,
    }),
  ])
})

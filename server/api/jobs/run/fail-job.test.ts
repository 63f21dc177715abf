/** Why jobs fail. See docs/decisions/jobs.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { revokeToken } from '#access/tokens/tokens'
import { hashSecret } from '#access/secrets'
import type { Scope } from '#vocabulary/scopes'
import { listClient } from '#testing/lists'
import { jobsOf, RECORDS, useJobTest, UPDATE } from '#testing/jobs'
import { type Person, signedIn } from '#testing/people'
import { JOB_BATCH_SIZE } from './worker'

const { service, jobs, makeObject, seed, find, actAfter } = useJobTest()
let admin: Person
beforeAll(async () => {
  admin = await signedIn(service)
})

const WRITING: readonly Scope[] = [
  'record_permission:read-write',
  'object_configuration:read',
  'list_entry:read-write',
  'list_configuration:read',
]

const toRead = (scope: Scope) => scope.replace('-write', '') as Scope // the scope of the same area

async function keyOf(scopes: readonly Scope[]): Promise<{ id: string; key: string }> {
  const key = await service.keyWith(scopes)
  const [row] = await service.db.sql<{ id: string }[]>`
    select id from relata.tokens where token_hash = decode(${hashSecret(key)}, 'hex')`
  return { id: row?.id ?? '', key }
}

/** A list that the workspace does not see, with this number of entries. */
async function privateList(entries: number): Promise<string> {
  const lists = listClient(service)
  const workspace_member_access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
  const list = await lists.list({ workspace_access: null, workspace_member_access, parent_object: 'things' })
  for (const record of await seed('entries', entries))
    await service.request('POST', `/v2/lists/${list}/entries`, {
      data: { parent_object: 'things', parent_record_id: record, entry_values: {} },
    })
  return list
}

describe('a job fails with a reason', () => {
  test('when its object is deleted', async () => {
    await makeObject('short_lived')
    const path = '/v2/objects/short_lived/records'
    await seed('any', JOB_BATCH_SIZE + 10, path)
    const id = await jobs.create(path, {}, UPDATE)
    await actAfter(1, () => service.request('DELETE', '/v2/objects/short_lived'))
    expect(await jobs.show(id)).toMatchObject({
      status: 'failed',
      done: JOB_BATCH_SIZE,
      failure: 'The object was deleted.',
    })
  })

  test('when an attribute of its values or of its filter is archived', async () => {
    for (const archived of ['set', 'note']) {
      const set = `archived ${archived}`
      await seed(set, JOB_BATCH_SIZE + 10)
      const id = await jobs.create(RECORDS, { set }, UPDATE)
      const path = `/v2/objects/things/attributes/${archived}`
      await actAfter(1, () => service.request('PATCH', path, { data: { is_archived: true } }))
      await service.request('PATCH', path, { data: { is_archived: false } })
      expect(await jobs.show(id)).toMatchObject({
        status: 'failed',
        done: JOB_BATCH_SIZE,
        failed: 0,
        failure: expect.any(String),
      })
    }
  })

  test('when the API key that created it is revoked', async () => {
    const key = await service.keyWith(['record_permission:read-write', 'object_configuration:read'])
    await seed('revoked', JOB_BATCH_SIZE + 10)
    const id = await jobsOf(service, key).create(RECORDS, { set: 'revoked' }, UPDATE)
    const [{ id: token } = { id: '' }] = await service.db.sql<{ id: string }[]>`
      select id from relata.tokens order by created_at desc limit 1`
    await actAfter(1, () => revokeToken(service.db, service.workspaceId, token, service.appContext.now()))
    const { body } = await admin.ask('GET', `/console/v2/jobs/${id}`)
    expect(body.data).toMatchObject({
      status: 'failed',
      done: JOB_BATCH_SIZE,
      failure: expect.stringContaining('revoked'),
    })
  })

  test.each([
    ['may not write any more', WRITING.map(toRead), 'may not do any more what the job does'],
    ['does not see the list any more', WRITING, 'not found'],
  ])('when the API key that created it %s', async (_, scopes, reason) => {
    const { id: token, key } = await keyOf([...WRITING, 'private_collection:read-write'])
    const path = `/v2/lists/${await privateList(JOB_BATCH_SIZE + 10)}/entries`
    const id = await jobsOf(service, key).create(path, {}, { op: 'delete' })
    const keys = `/console/api/workspaces/${service.workspaceId}/keys`
    await actAfter(1, () => admin.ask('PATCH', `${keys}/${token}`, { scopes }))
    const { body } = await admin.ask('GET', `/console/v2/jobs/${id}`)
    expect(body.data).toMatchObject({
      status: 'failed',
      done: JOB_BATCH_SIZE,
      failure: expect.stringContaining(reason),
    })
  })

  test.each([
    ['hidden', 'not found'],
    ['read-only', 'read-only'],
  ])('when its object becomes %s for its creator', async (access, reason) => {
    const slug = `object_${access.replace('-', '_')}`
    await makeObject(slug)
    const path = `/v2/objects/${slug}/records`
    await seed('any', JOB_BATCH_SIZE + 10, path)
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const data = { filter: {}, operation: UPDATE }
    const { status, body } = await member.ask('POST', `/console${path}/bulk`, { data })
    expect(status).toBe(202)
    const id = body.data.id.job_id
    const root = `/console/api/workspaces/${service.workspaceId}`
    await actAfter(1, async () => {
      const input = { members: access, teams: [] }
      expect((await admin.ask('PUT', `${root}/objects/${slug}/access`, input)).status).toBe(200)
      await service.appContext.models.reload(service.workspaceId)
    })
    const shown = await admin.ask('GET', `/console/v2/jobs/${id}`)
    expect(shown.body.data).toMatchObject({
      status: 'failed',
      done: JOB_BATCH_SIZE,
      failure: expect.stringContaining(reason),
    })
    expect(await find({ note: 'new' }, path)).toHaveLength(JOB_BATCH_SIZE)
    expect((await member.ask('GET', `/console/v2/jobs/${id}`)).status).toBe(access === 'hidden' ? 404 : 200)
  })
})

import { beforeAll, describe, expect, test } from 'bun:test'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
let path: string
beforeAll(async () => {
  path = `/console/api/workspaces/${service.workspaceId}/indexes`
  await service.db.sql`
    insert into relata.indexes (workspace_id, entity_type_id, attribute_id, name, kind, definition, requests, requested_by,
      first_requested_at, last_requested_at)
    select o.workspace_id, o.id, a.id, 'job_titles', 'exact', 'using btree (id)', 12, array['job_title = …'], now(), now()
    from relata.entity_types o
    join relata.attributes a on a.workspace_id = o.workspace_id and a.entity_type_id = o.id and a.api_slug = 'job_title'
    where o.workspace_id = ${service.workspaceId} and o.api_slug = 'people'`
})

const steer = (name: string, action: string) => admin.ask('POST', `${path}/${name}`, { action })
const listed = async () => (await admin.ask('GET', path)).body.data

describe('the indexes of a workspace', () => {
  test('200 with the queries that requested them', async () => {
    expect(await listed()).toEqual([
      {
        name: 'job_titles',
        object: 'people',
        attributes: ['job_title'],
        kind: 'exact',
        state: 'wanted',
        is_pinned: false,
        size: null,
        scans: null,
        requests: 12,
        requested_by: ['job_title = …'],
        last_used_at: null,
        build_ms: null,
        error: null,
      },
    ])
  })

  test('200 for an index that is dropped, kept and rebuilt', async () => {
    expect((await steer('job_titles', 'drop')).status).toBe(200)
    expect(await listed()).toMatchObject([{ state: 'refused', is_pinned: false }])
    expect((await steer('job_titles', 'keep')).status).toBe(200)
    expect(await listed()).toMatchObject([{ state: 'wanted', is_pinned: true }])
    expect((await steer('job_titles', 'rebuild')).status).toBe(200)
    expect(await listed()).toMatchObject([{ state: 'wanted', is_pinned: true }])
  })

  test('each action is in the audit log, with its actor and the index; refused ones are not', async () => {
    const log = async () =>
      (await admin.ask('GET', `/console/api/workspaces/${service.workspaceId}/audit-log?action=index`)).body.data
    const before = (await log()).length
    for (const action of ['keep', 'rebuild', 'drop']) await steer('job_titles', action)
    expect((await steer('nothing', 'keep')).status).toBe(404)
    await member.ask('POST', `${path}/job_titles`, { action: 'drop' })
    const entries = await log()
    expect(entries).toHaveLength(before + 3)
    const entry = {
      actor: { type: 'workspace-member', id: admin.memberIds[service.workspaceId] },
      subject: { type: 'index', id: 'job_titles', name: 'people · job_title' },
      details: { object: 'people', attributes: ['job_title'], kind: 'exact' },
    }
    expect(entries.slice(0, 3)).toMatchObject(
      ['index.dropped', 'index.rebuilt', 'index.kept'].map((action) => ({ action, ...entry })),
    )
  })

  test('404 for an unknown index, 400 for an unknown action, 403 for members', async () => {
    expect((await steer('nothing', 'drop')).status).toBe(404)
    expect((await steer('job_titles', 'burn')).status).toBe(400)
    expect((await member.ask('GET', path)).status).toBe(403)
    expect((await member.ask('POST', `${path}/job_titles`, { action: 'drop' })).status).toBe(403)
  })
})

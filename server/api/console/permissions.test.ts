/** Members with and without permissions try every operation. See docs/access.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { ALL_PERMISSIONS, type Permission } from '#vocabulary/roles'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
let workspace: string
beforeAll(async () => {
  workspace = `/console/api/workspaces/${service.workspaceId}`
})

const permit = (...member_permissions: Permission[]) => admin.ask('PATCH', workspace, { member_permissions })

/** The operations that members need a permission for. */
const NEEDED: Partial<Record<Permission, readonly string[]>> = {
  data_model: [
    'POST /v2/activities',
    'PATCH /v2/activities/:activity',
    'DELETE /v2/activities/:activity',
    'POST /v2/activities/:activity/restore',
    'POST /v2/activities/:activity/attributes',
    'POST /v2/activities/:activity/attributes/preview',
    'PATCH /v2/activities/:activity/attributes/:attribute',
    'DELETE /v2/activities/:activity/attributes/:attribute',
    'POST /v2/activities/:activity/attributes/:attribute/options',
    'PATCH /v2/activities/:activity/attributes/:attribute/options/:option',
    'POST /v2/activities/:activity/attributes/:attribute/statuses',
    'PATCH /v2/activities/:activity/attributes/:attribute/statuses/:status',
    'POST /v2/objects',
    'PATCH /v2/objects/:object',
    'DELETE /v2/objects/:object',
    'POST /v2/objects/:object/restore',
    'POST /v2/objects/:object/attributes',
    'POST /v2/objects/:object/attributes/preview',
    'PATCH /v2/objects/:object/attributes/:attribute',
    'DELETE /v2/objects/:object/attributes/:attribute',
    'POST /v2/objects/:object/attributes/:attribute/options',
    'PATCH /v2/objects/:object/attributes/:attribute/options/:option',
    'POST /v2/objects/:object/attributes/:attribute/statuses',
    'PATCH /v2/objects/:object/attributes/:attribute/statuses/:status',
  ],
  webhooks: [
    'POST /v2/webhooks',
    'PATCH /v2/webhooks/:webhook_id',
    'DELETE /v2/webhooks/:webhook_id',
    'POST /v2/webhooks/:webhook_id/test',
    'POST /v2/webhooks/:webhook_id/replay',
    'POST /v2/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
    'POST /v2/webhooks/:webhook_id/rotate-secret',
    'POST /v2/test_endpoints',
    'PATCH /v2/test_endpoints/:test_endpoint_id',
    'DELETE /v2/test_endpoints/:test_endpoint_id',
  ],
  api_keys: [
    'GET /console/api/workspaces/:workspace_id/keys',
    'POST /console/api/workspaces/:workspace_id/keys',
    'PATCH /console/api/workspaces/:workspace_id/keys/:key_id',
    'DELETE /console/api/workspaces/:workspace_id/keys/:key_id',
  ],
  apps: [
    'GET /console/api/workspaces/:workspace_id/apps',
    'POST /console/api/workspaces/:workspace_id/apps',
    'GET /console/api/workspaces/:workspace_id/apps/:app_id',
    'PATCH /console/api/workspaces/:workspace_id/apps/:app_id',
    'DELETE /console/api/workspaces/:workspace_id/apps/:app_id',
    'POST /console/api/workspaces/:workspace_id/apps/:app_id/secrets',
    'DELETE /console/api/workspaces/:workspace_id/apps/:app_id/secrets/:secret_id',
  ],
}

/** The operations that no permission gives to members. */
const ADMINS_ONLY = ['DELETE /v2/emails/:email_id']

/** The operations of the API, and those of the console that take a permission. */
const operations = () =>
  service.app.routes
    .filter(({ path }) => /^\/v2\/|^\/console\/api\/workspaces\/:workspace_id\/(?:keys|apps)/.test(path))
    .map(({ method, path }) => `${method} ${path}`)

/** The names of the operations that are refused because the member is no admin. */
async function refusedOf(person: Person): Promise<string[]> {
  const refused: string[] = []
  for (const name of operations()) {
    const [method = '', path = ''] = name.split(' ')
    const filled = path.replace(':workspace_id', service.workspaceId).replace(':object', 'people')
    const url = filled.replaceAll(/:\w+/g, '11111111-1111-4111-8111-111111111111')
    const body = method === 'GET' || method === 'DELETE' ? undefined : {}
    const answer = await person.ask(method, path.startsWith('/v2/') ? `/console${url}` : url, body)
    expect([name, answer.status]).not.toEqual([name, 500])
    if (answer.status === 403 && answer.body.message.includes('administrator')) refused.push(name)
  }
  return refused.sort()
}

describe('permissions of members', () => {
  test('without any, exactly the operations of the table are refused; to admins none', async () => {
    await permit()
    const needed = [...ADMINS_ONLY, ...Object.values(NEEDED).flat()]
    expect(await refusedOf(member)).toEqual(needed.toSorted())
    expect(await refusedOf(admin)).toEqual([])
  })

  test.each(ALL_PERMISSIONS)('%s allows its operations and no other', async (permission) => {
    await permit(permission)
    const others = Object.entries(NEEDED).filter(([name]) => name !== permission)
    expect(await refusedOf(member)).toEqual([...ADMINS_ONLY, ...others.flatMap(([, names]) => names)].toSorted())
  })

  test('take effect with the next request, and are in the session', async () => {
    const create = () => member.ask('POST', '/console/v2/objects', { data: {} })
    await permit('data_model')
    expect((await create()).status).toBe(400)
    const { workspaces } = (await member.ask('GET', '/console/api/session')).body.data
    expect(workspaces[0].member_permissions).toEqual(['data_model'])
    await permit()
    expect((await create()).status).toBe(403)
  })

  test.each([[['everything']], [['apps', 'apps']], ['apps'], [null]])('400 for %j', async (member_permissions) => {
    expect((await admin.ask('PATCH', workspace, { member_permissions })).status).toBe(400)
  })

  test('members do not change them', async () => {
    await permit(...ALL_PERMISSIONS)
    expect((await member.ask('PATCH', workspace, { member_permissions: [] })).status).toBe(403)
  })
})

describe('keys of members', () => {
  const keys = () => `${workspace}/keys`

  test('are the only ones that members see, change and revoke', async () => {
    await permit('api_keys')
    const body = { name: 'Script', scopes: ['record_permission:read-write', 'public_collection:read'] }
    const ofAdmin = (await admin.ask('POST', keys(), body)).body.data.id
    const own = (await member.ask('POST', keys(), body)).body.data.id
    const listed = (await member.ask('GET', keys())).body.data
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([own])
    for (const [method, change] of [['PATCH', { name: 'X' }], ['DELETE']] as const) {
      expect((await member.ask(method, `${keys()}/${ofAdmin}`, change)).status).toBe(404)
      expect((await member.ask(method, `${keys()}/${own}`, change)).status).toBe(200)
    }
    expect((await admin.ask('GET', keys())).body.data[0]).toMatchObject({ id: ofAdmin, name: 'Script' })
  })

  test.each([
    'private_collection:read',
    'private_collection:read-write',
    'public_collection:read-write',
    'object_configuration:read-write',
    'user_management:read-write',
    'webhook:read-write',
  ])('403 with %s, at creation and later; 200 for admins', async (scope) => {
    await permit('api_keys')
    const refused = await member.ask('POST', keys(), { name: 'Script', scopes: ['note:read', scope] })
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('more access than you')])
    const { id } = (await member.ask('POST', keys(), { name: 'Script', scopes: ['note:read'] })).body.data
    expect((await member.ask('PATCH', `${keys()}/${id}`, { scopes: [scope] })).status).toBe(403)
    expect((await admin.ask('PATCH', `${keys()}/${id}`, { scopes: [scope] })).status).toBe(200)
  })

  test('have at most the access that permissions give', async () => {
    await permit('api_keys', 'webhooks')
    expect((await member.ask('POST', keys(), { name: 'Script', scopes: ['webhook:read-write'] })).status).toBe(200)
  })
})

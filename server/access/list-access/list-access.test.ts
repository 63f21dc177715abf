/**
 * Every kind of caller, with every access level, tries every operation on a list.
 * See docs/reference/lists-and-entries.md (Access to lists).
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import { ACCESS_LEVELS, type AccessLevel } from '#vocabulary/data-model'
import type { Scope } from '#vocabulary/scopes'
import { attributeInput } from '#testing/attributes'
import { listClient, listInput } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { createActor } from '#access/members/actors'
import { createMember } from '#access/members/members'
import { createToken } from '#access/tokens/tokens'

const SCOPES: readonly Scope[] = [
  'list_configuration:read-write',
  'list_entry:read-write',
  'record_permission:read',
  'object_configuration:read',
]

const service = useTestService()
const lists = listClient(service)
let person: string
/** The id of a member of the workspace who is not an admin. */
let bob: string
beforeAll(async () => {
  person = await lists.record()
  const member = { first_name: 'Bob', last_name: '', email_address: 'bob@example.com', account_id: null }
  bob = (await createMember(service.db, service.workspaceId, { ...member, access_level: 'member' }, 1)).id
})

const CALLERS = {
  'an API key': () => keyOf(bob),
  'one with public_collection:read': () => keyOf(bob, ['public_collection:read']),
  'one with public_collection:read-write': () => keyOf(bob, ['public_collection:read-write']),
  'one with private_collection:read': () => keyOf(bob, ['private_collection:read']),
  'one with private_collection:read-write': () => keyOf(bob, ['private_collection:read-write']),
  'an app of Bob': async () => actingAs(await keyOf(bob), await newApp()),
  'an app of an admin': async () => actingAs(await keyOf(service.member.id), await newApp()),
  'Bob himself': async () => actingAs(await keyOf(bob, ['private_collection:read-write']), await actorOf(bob)),
  'an admin': async () => actingAs(await keyOf(service.member.id), await actorOf(service.member.id)),
} as const

async function keyOf(authorizedBy: string, more: readonly Scope[] = []): Promise<string> {
  const { workspaceId, db } = service
  const scopes = [...SCOPES, ...more]
  return (await createToken(db, { workspaceId, name: 'Key', scopes, authorizedBy, now: 1 })).token
}

/** Changes the actor of a key. */
async function actingAs(key: string, actor: number): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256').update(key).digest('hex')
  await service.db.sql`update relata.tokens set actor = ${actor} where token_hash = decode(${hash}, 'hex')`
  await service.appContext.models.reload(service.workspaceId)
  return key
}

const newApp = () =>
  service.db.sql.begin((tx) => createActor(tx, service.workspaceId, 'app', crypto.randomUUID())) as Promise<number>

async function actorOf(member: string): Promise<number> {
  const [row] = await service.db.sql<{ number: number }[]>`select number from relata.actors where id = ${member}`
  return row?.number ?? 0
}

/** The access of the workspace, the access of Bob, and the resulting access of each caller. */
const GRANTS: [AccessLevel | null, AccessLevel | null, Record<keyof typeof CALLERS, AccessLevel | null>][] = [
  [null, null, accesses(null, null, null, null, null)],
  [null, 'read-and-write', accesses(null, null, 'read-and-write', null, 'read-and-write')],
  ['read-only', null, accesses('read-only', 'full-access', 'read-only', 'read-only', 'read-only')],
  ['read-only', 'full-access', accesses('read-only', 'full-access', 'full-access', 'read-only', 'full-access')],
  [
    'read-and-write',
    'read-only',
    accesses('read-and-write', 'full-access', 'read-and-write', 'read-and-write', 'read-and-write'),
  ],
  ['full-access', null, accesses('full-access', 'full-access', 'full-access', 'full-access', 'full-access')],
]

function accesses(
  key: AccessLevel | null,
  publicWriter: AccessLevel | null,
  appOfBob: AccessLevel | null,
  appOfAdmin: AccessLevel | null,
  himself: AccessLevel | null,
) {
  return {
    'an API key': key,
    'one with public_collection:read': key,
    'one with public_collection:read-write': publicWriter,
    'one with private_collection:read': key ?? ('read-only' as const),
    'one with private_collection:read-write': 'full-access' as const,
    'an app of Bob': appOfBob,
    'an app of an admin': appOfAdmin,
    'Bob himself': himself,
    'an admin': 'full-access' as const,
  }
}

const parent = () => ({ parent_object: 'people', parent_record_id: person })
const history = { values: [{ value: 'x', active_from: '2024-01-01', active_until: null }], replace_history: true }
const VALUES = '/entries/ENTRY/attributes/note/values'

/** The last operations delete what the others need. */
const OPERATIONS: [AccessLevel, string, string, (() => object)?][] = [
  ['read-only', 'GET', ''],
  ['read-only', 'GET', '/attributes'],
  ['read-only', 'GET', '/attributes/note'],
  ['read-only', 'GET', '/attributes/stage/statuses'],
  ['read-only', 'GET', '/views'],
  ['read-only', 'GET', '/views/VIEW'],
  ['read-only', 'POST', '/entries/query', () => ({})],
  ['read-only', 'GET', '/entries/ENTRY'],
  ['read-only', 'GET', VALUES],
  ['read-and-write', 'PUT', '/entries', () => ({ data: { ...parent(), entry_values: {} } })],
  ['read-and-write', 'POST', '/entries', () => ({ data: { ...parent(), entry_values: {} } })],
  ['read-and-write', 'PATCH', '/entries/ENTRY', () => ({ data: { entry_values: {} } })],
  ['read-and-write', 'PUT', '/entries/ENTRY', () => ({ data: { entry_values: {} } })],
  ['read-and-write', 'PUT', VALUES, () => ({ data: history })],
  ['full-access', 'PATCH', '', () => ({ data: { name: 'Renamed' } })],
  ['full-access', 'POST', '/attributes', () => ({ data: attributeInput() })],
  ['full-access', 'PATCH', '/attributes/note', () => ({ data: { title: 'Renamed' } })],
  ['full-access', 'POST', '/attributes/stage/statuses', () => ({ data: { title: crypto.randomUUID() } })],
  ['full-access', 'PATCH', '/attributes/stage/statuses/New', () => ({ data: { celebration_enabled: true } })],
  ['full-access', 'POST', '/views', () => ({ data: { title: 'x', type: 'table' } })],
  ['full-access', 'PATCH', '/views/VIEW', () => ({ data: { title: 'y' } })],
  ['full-access', 'DELETE', '/views/VIEW'],
  ['read-and-write', 'DELETE', '/entries/ENTRY'],
  ['full-access', 'DELETE', '/attributes/note'],
  ['full-access', 'DELETE', ''],
]

interface Seeded {
  readonly list: string
  readonly entry: string
  readonly view: string
}

async function seed(workspace_access: AccessLevel | null, shared: AccessLevel | null): Promise<Seeded> {
  const owner = { workspace_member_id: service.member.id, level: 'full-access' }
  const guest = shared === null ? [] : [{ workspace_member_id: bob, level: shared }]
  const list = await lists.list({ workspace_access: 'full-access' })
  await lists.attribute(list, 'note')
  await lists.attribute(list, 'stage', { type: 'status' })
  await service.request('POST', `/v2/lists/${list}/attributes/stage/statuses`, { data: { title: 'New' } })
  const view = await service.request('POST', `/v2/lists/${list}/views`, { data: { title: 'x', type: 'table' } })
  const entry = await lists.entry(list, person)
  // An app of the admin has the access of the admin, so another member has full access to this list.
  const carol = await createCarol()
  const access = workspace_access === 'full-access' ? [] : [{ ...owner, workspace_member_id: carol }]
  const data = { workspace_access, workspace_member_access: [...access, ...guest] }
  const { status } = await service.request('PATCH', `/v2/lists/${list}`, { data })
  expect(status).toBe(200)
  return { list, entry, view: view.body.data.id.view_id }
}

async function createCarol(): Promise<string> {
  const email_address = `${crypto.randomUUID()}@example.com`
  const member = {
    first_name: 'Carol',
    last_name: '',
    email_address,
    account_id: null,
    access_level: 'member',
  } as const
  return (await createMember(service.db, service.workspaceId, member, 1)).id
}

/** Returns undefined when the operation was allowed. Other tests check its effect. */
async function refusal(key: string, seeded: Seeded, [, method, path, body]: (typeof OPERATIONS)[number]) {
  const whole = `/v2/lists/${seeded.list}${path.replace('ENTRY', seeded.entry).replace('VIEW', seeded.view)}`
  const answer = await service.request(method, whole, body?.(), { key })
  if (answer.status === 200) return undefined
  const isHidden = answer.body.code === 'not_found' && answer.body.message.startsWith('List with slug/ID')
  return isHidden ? 'hidden' : answer.body.message.startsWith('Your access to list') ? answer.status : answer.body
}

type Case = [name: string, AccessLevel | null, AccessLevel | null, keyof typeof CALLERS, AccessLevel | null]

const cases = GRANTS.flatMap(([workspace, shared, callers]) =>
  (Object.keys(CALLERS) as (keyof typeof CALLERS)[]).map((caller): Case => {
    const has = callers[caller]
    return [`${has ?? 'nothing'} for ${caller}: workspace ${workspace}, Bob ${shared}`, workspace, shared, caller, has]
  }),
)

describe('access to lists', () => {
  test.each(cases)('%s', async (_, workspace, shared, caller, has) => {
    const seeded = await seed(workspace, shared)
    const key = await CALLERS[caller]()
    const ask = async (path: string) => (await service.request('GET', path, undefined, { key })).body.data
    const isListed = (found: object[], member: string) => JSON.stringify(found).includes(`"${member}":"${seeded.list}"`)
    expect(isListed(await ask('/v2/lists'), 'api_slug')).toBe(has !== null)
    expect(isListed(await ask(`/v2/objects/people/records/${person}/entries?limit=1000`), 'list_api_slug')).toBe(
      has !== null,
    )
    for (const operation of OPERATIONS) {
      const [needed, method, path] = operation
      const isEnough = has !== null && ACCESS_LEVELS.indexOf(has) >= ACCESS_LEVELS.indexOf(needed)
      const expected = has === null ? 'hidden' : isEnough ? undefined : 403
      expect([method, path, await refusal(key, seeded, operation)]).toEqual([method, path, expected])
    }
  })

  test('the creator of a list gets no access to it, and 404 does not name hidden lists', async () => {
    const key = await keyOf(bob)
    const access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
    const data = listInput({ api_slug: 'secret_plans', workspace_access: null, workspace_member_access: access })
    const created = await service.request('POST', '/v2/lists', { data }, { key })
    expect(created.status).toBe(200)
    const { status, body } = await service.request('GET', '/v2/lists/secret_plan', undefined, { key })
    expect([status, body.did_you_mean]).toEqual([404, undefined])
    const taken = await service.request(
      'POST',
      '/v2/lists',
      { data: { ...data, workspace_access: 'full-access' } },
      { key },
    )
    expect(taken.status).toBe(409)
  })
})

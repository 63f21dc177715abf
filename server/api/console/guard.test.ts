/** Sends requests of every kind of caller to every endpoint of the console. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { signedIn, type Person } from '#testing/people'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let people: Record<'admin' | 'member' | 'suspended' | 'foreign', Person>

beforeAll(async () => {
  const { workspaceId } = service
  const other = await service.anotherWorkspace()
  people = {
    admin: await signedIn(service),
    member: await signedIn(service, { [workspaceId]: 'member' }),
    suspended: await signedIn(service, { [workspaceId]: 'suspended' }),
    foreign: await signedIn(service, { [other.workspaceId]: 'admin' }),
  }
})

/** The endpoints that need no session. */
const FOR_ANYONE = [
  'GET /console/api/session',
  'POST /console/api/first-start',
  'POST /console/api/sign-in',
  'POST /console/api/sign-in/passkey',
  'POST /console/api/sign-in/passkey-options',
  'POST /console/api/sign-in/second-factor',
  'POST /console/api/sign-in/second-factor/passkey-options',
  'GET /console/api/sign-in/providers',
  'POST /console/api/sign-in/providers/:provider_id',
  'POST /console/api/sign-in/providers/:provider_id/response',
  'POST /console/api/password-resets',
  'POST /console/api/password-resets/:token',
  'GET /console/api/invitations/:token',
  'POST /console/api/invitations/:token/accept',
]

/** The endpoints of a workspace that members may use. The others are for admins. */
const FOR_MEMBERS = [
  'GET /console/api/workspaces/:workspace_id',
  'GET /console/api/workspaces/:workspace_id/members',
  'PATCH /console/api/workspaces/:workspace_id/members/:workspace_member_id',
  'GET /console/api/workspaces/:workspace_id/comment-counts',
  'GET /console/api/workspaces/:workspace_id/record-counts',
  'POST /console/api/workspaces/:workspace_id/merge-previews',
  'GET /console/api/workspaces/:workspace_id/dismissed-duplicates',
  'POST /console/api/workspaces/:workspace_id/dismissed-duplicates',
  'DELETE /console/api/workspaces/:workspace_id/dismissed-duplicates',
  'GET /console/api/workspaces/:workspace_id/teams',
  'GET /console/api/workspaces/:workspace_id/lists/:list_id/teams',
  'PUT /console/api/workspaces/:workspace_id/lists/:list_id/teams',
  'GET /console/api/workspaces/:workspace_id/object-access',
  // Of grants, those that act for the member.
  'GET /console/api/workspaces/:workspace_id/grants',
  'DELETE /console/api/workspaces/:workspace_id/grants/:grant_id',
  'GET /console/api/workspaces/:workspace_id/text-search',
  'GET /console/api/workspaces/:workspace_id/view-pins',
  'PUT /console/api/workspaces/:workspace_id/view-pins/:view_id',
  'DELETE /console/api/workspaces/:workspace_id/view-pins/:view_id',
  'GET /console/api/workspaces/:workspace_id/followed-records',
  'PUT /console/api/workspaces/:workspace_id/followed-records/:object/:record_id',
  'DELETE /console/api/workspaces/:workspace_id/followed-records/:object/:record_id',
  'GET /console/api/workspaces/:workspace_id/objects/:object_id/pictures',
  'GET /console/api/workspaces/:workspace_id/objects/:object_id/records/:record_id/picture/:digest',
  'PUT /console/api/workspaces/:workspace_id/objects/:object_id/records/:record_id/picture',
  'DELETE /console/api/workspaces/:workspace_id/objects/:object_id/records/:record_id/picture',
  'GET /console/api/workspaces/:workspace_id/storage',
  'GET /console/api/workspaces/:workspace_id/files/:file_id/content',
  'GET /console/api/workspaces/:workspace_id/notes/:note_id/document',
  'GET /console/api/workspaces/:workspace_id/sql-queries',
  'POST /console/api/workspaces/:workspace_id/sql-queries',
  'GET /console/api/workspaces/:workspace_id/sql-queries/:query_id',
  'PUT /console/api/workspaces/:workspace_id/sql-queries/:query_id',
  'DELETE /console/api/workspaces/:workspace_id/sql-queries/:query_id',
  'GET /console/api/workspaces/:workspace_id/sql-history',
  'POST /console/api/workspaces/:workspace_id/sql-history',
  'DELETE /console/api/workspaces/:workspace_id/sql-history',
]

/** Members may use all endpoints of imports. Imports of other members are 404 for them. */
const FOR_IMPORTERS = ['imports', 'file-imports'].map((name) => `/console/api/workspaces/:workspace_id/${name}`)

/** Each member has an inbox and connected accounts of their own. */
const OF_EACH_MEMBER = ['inbox', 'connected-accounts', 'excluded-addresses'].map(
  (name) => `/console/api/workspaces/:workspace_id/${name}`,
)

const routes = () =>
  service.app.routes
    .filter(({ path }) => path.startsWith('/console/api/'))
    .map(({ method, path }) => ({ method, path, name: `${method} ${path}` }))

const withSession = () => routes().filter(({ name }) => !FOR_ANYONE.includes(name))
/** Restores a deleted workspace, which has no members until then. Any other is 404 for everybody. */
const OF_DELETED = 'POST /console/api/workspaces/:workspace_id/restore'
const ofWorkspaces = () =>
  routes().filter(({ path, name }) => path.startsWith('/console/api/workspaces/:workspace_id') && name !== OF_DELETED)

/** Returns the path in the first workspace, with ids that do not exist. */
const at = (path: string, id = '11111111-1111-4111-8111-111111111111') =>
  path.replace(':workspace_id', service.workspaceId).replaceAll(/:\w+/g, id)

const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  service.request(method, at(path), method === 'GET' || method === 'DELETE' ? undefined : {}, { key: null, headers })

describe('every endpoint of the console', () => {
  test('is in one of the lists of this test', () => {
    const names = routes().map(({ name }) => name)
    expect(names.length).toBeGreaterThan(25)
    expect(FOR_ANYONE.filter((name) => !names.includes(name))).toEqual([])
    expect(FOR_MEMBERS.filter((name) => !names.includes(name))).toEqual([])
  })

  test('401 without a session, with an unknown session, and with an API key', async () => {
    const strangers: Record<string, string>[] = [
      {},
      { Cookie: 'relata_session=unknown' },
      { Authorization: `Bearer ${service.key}` },
    ]
    for (const { method, path, name } of withSession()) {
      for (const headers of strangers) {
        const { status, body } = await ask(method, path, headers)
        expect([name, status, body.code]).toEqual([name, 401, 'unauthorized'])
      }
    }
  })

  test('403 for a suspended member, 404 for an admin of another workspace', async () => {
    for (const { method, path, name } of ofWorkspaces()) {
      expect([name, (await ask(method, path, people.suspended.headers)).status]).toEqual([name, 403])
      const { status, body } = await ask(method, path, people.foreign.headers)
      expect([name, status, body.message]).toEqual([
        name,
        404,
        `Workspace with ID "${service.workspaceId}" was not found.`,
      ])
    }
  })

  test('403 for members, except for the endpoints of members; never for admins', async () => {
    for (const { method, path, name } of ofWorkspaces()) {
      const { status, body } = await ask(method, path, people.member.headers)
      const mayReach = FOR_MEMBERS.includes(name) || FOR_IMPORTERS.some((start) => path.startsWith(start))
      const isRefused = !OF_EACH_MEMBER.some((start) => path.startsWith(start)) && (!mayReach || method === 'PATCH')
      expect([name, status === 403]).toEqual([name, isRefused])
      if (status === 403) expect(body.message).toContain('administrator')
      expect([name, (await ask(method, path, people.admin.headers)).status]).not.toEqual([name, 403])
    }
  })

  const proofs: [what: string, headers: (own: Person['headers']) => Record<string, string>, code: string][] = [
    ['without a CSRF token', ({ Cookie = '' }) => ({ Cookie }), 'csrf_token_invalid'],
    [
      'with the token of another session',
      (own) => ({ ...own, 'X-CSRF-Token': people.foreign.headers['X-CSRF-Token'] ?? '' }),
      'csrf_token_invalid',
    ],
    ['from another site', (own) => ({ ...own, 'Sec-Fetch-Site': 'cross-site' }), 'unauthorized'],
    ['from another part of the site', (own) => ({ ...own, 'Sec-Fetch-Site': 'same-site' }), 'unauthorized'],
    ['from another origin', (own) => ({ ...own, Origin: 'https://evil.example' }), 'unauthorized'],
    ['from no origin', (own) => ({ ...own, Origin: 'null' }), 'unauthorized'],
  ]
  test.each(proofs)('403 for a change %s', async (_, headersOf, code) => {
    for (const { method, path, name } of withSession().filter(({ method }) => method !== 'GET')) {
      const { status, body } = await ask(method, path, headersOf(people.admin.headers))
      expect([name, status, body.code]).toEqual([name, 403, code])
    }
  })

  test('403 for a change from another site, also for endpoints without a session', async () => {
    for (const { method, path, name } of routes().filter(({ method }) => method !== 'GET')) {
      const { status } = await ask(method, path, { 'Sec-Fetch-Site': 'cross-site' })
      expect([name, status]).toEqual([name, FOR_ANYONE.includes(name) ? 403 : 401])
    }
  })

  test('has no headers for other origins, and no cache stores it', async () => {
    const preflight = await service.request('OPTIONS', '/console/api/session', undefined, { key: null })
    expect(preflight.status).toBe(404)
    for (const path of ['/console/api/session', '/console/api/nothing', '/console/v2/objects']) {
      const { headers } = await service.request('GET', path, undefined, { key: null, headers: people.admin.headers })
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(headers.get('Cache-Control')).toBe('no-store')
      expect(headers.get('X-Frame-Options')).toBe('DENY')
    }
  })

  test('never has status 500 for any text in its path', async () => {
    for (const { method, path } of routes()) {
      for (const id of ['%00', '%', "'", 'é', '0']) {
        const { status } = await service.request(method, at(path, id), undefined, {
          key: null,
          headers: people.admin.headers,
        })
        expect([method, path, id, status]).not.toEqual([method, path, id, 500])
      }
    }
  })
})

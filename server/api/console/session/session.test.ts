import { describe, expect, spyOn, test } from 'bun:test'
import { createAccount } from '#access/accounts/accounts'
import { SESSION_SECONDS } from '#access/sessions/sessions'
import { createApp } from '../../../app'
import { createClient } from '#testing/client'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'
import { version } from '../../../../package.json'

const PASSWORD = 'correct horse battery'
const SECOND = 1_000_000

const service = useTestService({ trustedProxies: 1 })
let made = 0

async function account(): Promise<string> {
  const email_address = `someone-${++made}@example.com`
  await createAccount(service.db, { email_address, password: PASSWORD }, service.appContext.now())
  return email_address
}

const signIn = (email_address: string, password: string, address = `10.0.0.${made}`) =>
  service.request(
    'POST',
    '/console/api/sign-in',
    { email_address, password },
    { key: null, headers: { 'X-Forwarded-For': address, 'User-Agent': 'Netscape' } },
  )

const session = (Cookie?: string) =>
  service.request('GET', '/console/api/session', undefined, { key: null, headers: Cookie ? { Cookie } : {} })

const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';')[0] ?? ''

describe('POST /console/api/sign-in', () => {
  test('200 with a cookie for this host only, for the email address in any case', async () => {
    const { status, headers } = await signIn((await account()).toUpperCase(), PASSWORD)
    expect([status, headers.get('set-cookie')]).toEqual([
      200,
      expect.stringMatching(/^relata_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/),
    ])
  })

  test('200 with a cookie bound to this host by its prefix, with TLS', async () => {
    const settings = { ...service.appContext.settings, appUrl: 'https://crm.example' }
    const request = createClient(createApp({ ...service.appContext, settings }), '')
    const body = { email_address: await account(), password: PASSWORD }
    const { headers } = await request('POST', '/console/api/sign-in', body, { key: null })
    expect(headers.get('set-cookie')).toMatch(/^__Host-relata_session=\S+; Path=\/; HttpOnly; SameSite=Lax; Secure; /)
  })

  test('401 for a wrong password and for an unknown address, with the same text and after the same work', async () => {
    const verifying = spyOn(Bun.password, 'verify')
    const answers = await Promise.all(
      [await account(), 'nobody@example.com'].map((address) => signIn(address, 'wrong horse battery')),
    )
    expect(answers.map(({ status }) => status)).toEqual([401, 401])
    expect(answers[0]?.body).toEqual(answers[1]?.body)
    const costs = verifying.mock.calls.map(([, hash]) => /^\$argon2id\$v=\d+\$[^$]+/.exec(String(hash))?.[0])
    expect(costs).toEqual([expect.any(String), costs[0]])
    verifying.mockRestore()
  })

  test('400 without the required members', async () => {
    const { status, body } = await service.request('POST', '/console/api/sign-in', {}, { key: null })
    expect([status, body.validation_errors.length]).toEqual([400, 2])
  })

  test('429 after five failures on an account, for a time that doubles; a success clears the count', async () => {
    const { setNow, appContext } = service
    let now = appContext.now()
    setNow(now)
    const email = await account()
    const attempt = async (password: string) => (await signIn(email, password, `10.1.${++made}.1`)).status
    for (let failures = 0; failures < 5; failures++) expect(await attempt('wrong')).toBe(401)
    for (const pause of [1, 2, 4]) {
      expect(await attempt(PASSWORD)).toBe(429)
      setNow((now += pause * SECOND - 1))
      expect(await attempt(PASSWORD)).toBe(429)
      setNow((now += 1))
      expect(await attempt('wrong')).toBe(401)
    }
    setNow((now += 8 * SECOND))
    expect(await attempt(PASSWORD)).toBe(200)
    expect(await attempt('wrong')).toBe(401)
    expect(await attempt(PASSWORD)).toBe(200)
    setNow()
  })

  test('429 after twenty failures a minute from one network, on any account; other networks are not affected', async () => {
    const { setNow, appContext } = service
    const now = appContext.now()
    setNow(now)
    const email = await account()
    for (let failures = 0; failures < 20; failures++) {
      expect((await signIn(`guess-${failures}@example.com`, 'x', '192.0.2.1')).status).toBe(401)
    }
    const { status, headers } = await signIn(email, PASSWORD, '192.0.2.1')
    expect([status, new Date(headers.get('Retry-After') ?? '').getTime() * 1000]).toEqual([
      429,
      Math.ceil((now + 60 * SECOND) / SECOND) * SECOND,
    ])
    expect((await signIn(email, PASSWORD, '192.0.2.2')).status).toBe(200)
    setNow(now + 60 * SECOND)
    expect((await signIn(email, PASSWORD, '192.0.2.1')).status).toBe(200)
    setNow()
  })

  test('429 for all but five of many concurrent guesses at two services', async () => {
    const email = await account()
    const apps = [service.app, createApp(service.appContext)].map((app) => createClient(app, ''))
    const guesses = Array.from({ length: 16 }, (_, index) =>
      apps[index % 2]?.(
        'POST',
        '/console/api/sign-in',
        { email_address: email, password: `guess ${index}` },
        { key: null, headers: { 'X-Forwarded-For': `198.51.100.${index}` } },
      ),
    )
    const statuses = (await Promise.all(guesses)).map((answer) => answer?.status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(11)
  })
})

describe('GET /console/api/session', () => {
  test('200 without a session, with whether an account exists', async () => {
    const { body, headers } = await session()
    expect(body.data).toEqual({
      is_first_start: false,
      csrf_token: null,
      brand: 'relata',
      trash_days: 30,
      account: null,
      session_workspace_id: null,
      workspaces: [],
      deleted_workspaces: [],
      events_cursor: null,
      hold: null,
      version: null,
    })
    expect(headers.get('set-cookie')).toBeNull()
  })

  test('200 with the account and its workspaces, also those where it is suspended', async () => {
    const other = await service.anotherWorkspace()
    const person = await signedIn(service, { [service.workspaceId]: 'admin', [other.workspaceId]: 'suspended' })
    const { body, headers } = await session(person.headers.Cookie)
    expect(body.data).toEqual({
      is_first_start: false,
      csrf_token: person.headers['X-CSRF-Token'],
      brand: 'relata',
      trash_days: 30,
      account: { id: person.accountId, email_address: person.email_address, language: null },
      session_workspace_id: null,
      workspaces: [
        {
          id: service.workspaceId,
          name: 'Workspace 1',
          slug: 'workspace-1',
          logo_url: null,
          access_level: 'admin',
          workspace_member_id: person.memberIds[service.workspaceId],
          first_name: 'Person',
          last_name: expect.any(String),
          member_permissions: ['connected_accounts'],
          default_country: null,
          stores_email_texts: false,
          shown_objects: [],
          missing_step: null,
        },
        expect.objectContaining({ id: other.workspaceId, access_level: 'suspended' }),
      ],
      deleted_workspaces: [],
      events_cursor: expect.stringMatching(/^\d+\.\d+$/),
      hold: null,
      version,
    })
    expect(headers.get('set-cookie')).toStartWith(person.headers.Cookie ?? '')
  })

  test('the cursor of the event stream has the changes after the answer, and those before that were not published', async () => {
    const person = await signedIn(service, { [service.workspaceId]: 'admin' })
    const createTask = async (text: string) => {
      const data = {
        content: text,
        format: 'plaintext',
        deadline_at: null,
        is_completed: false,
        linked_records: [],
        assignees: [],
      }
      return (await service.request('POST', '/v2/tasks', { data })).body.data.id.task_id
    }
    await createTask('Published before')
    await service.events()
    const unpublished = await createTask('Created before')
    const { events_cursor } = (await session(person.headers.Cookie)).body.data
    const after = await createTask('Created after')
    await service.events()
    const { body } = await service.request('GET', `/v2/events?event_type=task.created&cursor=${events_cursor}`)
    expect(body.data.map(({ event }: { event: { id: { task_id: string } } }) => event.id.task_id)).toEqual([
      unpublished,
      after,
    ])
  })

  test('a session lasts thirty days from its last use', async () => {
    const { setNow, appContext } = service
    const start = appContext.now()
    const days = (count: number) => start + count * 86_400 * SECOND
    setNow(start)
    const cookie = cookieOf((await signIn(await account(), PASSWORD)).headers)
    for (const day of [29, 58]) {
      setNow(days(day))
      expect((await session(cookie)).body.data.account).not.toBeNull()
    }
    setNow(days(58) + SESSION_SECONDS * SECOND)
    expect((await session(cookie)).body.data.account).toBeNull()
    setNow()
  })
})

describe('signing out', () => {
  test.each(['/console/api/sign-out', '/console/api/sign-out-everywhere'])(
    '200 for POST %s, after which the cookie is invalid',
    async (path) => {
      const person = await signedIn(service)
      const elsewhere = await signIn(person.email_address, person.password)
      const { status, headers } = await person.ask('POST', path)
      expect([status, headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Max-Age=0')])
      expect((await person.ask('GET', '/console/api/sessions')).status).toBe(401)
      expect((await person.ask('GET', '/console/v2/objects')).status).toBe(401)
      const isElsewhere = (await session(cookieOf(elsewhere.headers))).body.data.account !== null
      expect(isElsewhere).toBe(path.endsWith('sign-out'))
    },
  )
})

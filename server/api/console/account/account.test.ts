import { describe, expect, test } from 'bun:test'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'

const NEW_PASSWORD = 'staple battery horse'

const service = useTestService()

const post = (path: string, body: object) => service.request('POST', `/console/api/${path}`, body, { key: null })
const signIn = async (email_address: string, password: string) =>
  (await post('sign-in', { email_address, password })).status

/** Waits for the email, which the response does not wait for, and returns its token. */
async function tokenMailedTo(email: string): Promise<string> {
  for (;;) {
    const sentEmail = service.sentEmails.findLast(({ to }) => to === email)
    const [, token] = /\/reset-password\/([\w-]+)/.exec(sentEmail?.text ?? '') ?? []
    if (token !== undefined) return token
    await new Promise(setImmediate)
  }
}

describe('GET /console/api/sessions', () => {
  test('200 with the sessions of the account and the current one marked; DELETE ends one of them', async () => {
    const person = await signedIn(service)
    await signIn(person.email_address, person.password)
    const { body } = await person.ask('GET', '/console/api/sessions')
    expect(body.data).toHaveLength(2)
    const other = body.data.find((session: { is_current: boolean }) => !session.is_current)
    expect(body.data).toContainEqual({
      id: person.sessionId,
      user_agent: 'Test browser',
      address: null,
      created_at: expect.stringMatching(/Z$/),
      last_used_at: expect.stringMatching(/Z$/),
      method: 'password',
      second_factor: null,
      is_current: true,
    })
    expect((await person.ask('DELETE', `/console/api/sessions/${other.id}`)).status).toBe(200)
    expect((await person.ask('DELETE', `/console/api/sessions/${other.id}`)).status).toBe(404)
    const stranger = await signedIn(service)
    expect((await stranger.ask('DELETE', `/console/api/sessions/${person.sessionId}`)).status).toBe(404)
    expect((await person.ask('DELETE', `/console/api/sessions/${person.sessionId}`)).status).toBe(200)
    expect((await person.ask('GET', '/console/api/sessions')).status).toBe(401)
  })
})

describe('PATCH /console/api/account', () => {
  const languageOf = async ({ ask }: Awaited<ReturnType<typeof signedIn>>) =>
    (await ask('GET', '/console/api/session')).body.data.account.language

  test('200 with a language, which the session has', async () => {
    const person = await signedIn(service)
    expect((await person.ask('PATCH', '/console/api/account', { language: 'de' })).status).toBe(200)
    expect(await languageOf(person)).toBe('de')
    expect((await person.ask('PATCH', '/console/api/account', { language: 'xx' })).status).toBe(400)
    expect((await person.ask('PATCH', '/console/api/account', {})).status).toBe(400)
    expect(await languageOf(person)).toBe('de')
  })

  test('the first sign-in with a browser sets the language, a later one does not', async () => {
    const person = await signedIn(service)
    expect(await languageOf(person)).toBeNull()
    const from = (language: string) =>
      service.request('POST', '/console/api/sign-in', person, { key: null, headers: { 'Accept-Language': language } })
    await from('de-AT,en;q=0.5')
    expect(await languageOf(person)).toBe('de')
    await from('en')
    expect(await languageOf(person)).toBe('de')
    await post('password-resets', { email_address: person.email_address })
    await tokenMailedTo(person.email_address)
    const email = service.sentEmails.findLast(({ to }) => to === person.email_address)
    expect(email?.subject).toBe('Neues Passwort für relata festlegen')
  })
})

describe('POST /console/api/password', () => {
  test('200 with the current password; other sessions end, this one remains', async () => {
    const person = await signedIn(service)
    const cookie = (await post('sign-in', person)).headers.get('set-cookie')?.split(';')[0] ?? ''
    const body = { current_password: person.password, new_password: NEW_PASSWORD }
    expect((await person.ask('POST', '/console/api/password', body)).status).toBe(200)
    expect((await person.ask('GET', '/console/api/sessions')).body.data).toHaveLength(1)
    const elsewhere = { key: null, headers: { Cookie: cookie } }
    expect((await service.request('GET', '/console/api/sessions', undefined, elsewhere)).status).toBe(401)
    expect(await signIn(person.email_address, person.password)).toBe(401)
    expect(await signIn(person.email_address, NEW_PASSWORD)).toBe(200)
  })

  test('400 naming a wrong current password or a refused new one', async () => {
    const person = await signedIn(service)
    const change = (current_password: string, new_password: string) =>
      person.ask('POST', '/console/api/password', { current_password, new_password })
    const pathOf = async (...passwords: [string, string]) => {
      const { status, body } = await change(...passwords)
      return [status, body.validation_errors[0].path]
    }
    expect(await pathOf('wrong', NEW_PASSWORD)).toEqual([400, ['current_password']])
    expect(await pathOf(person.password, 'short')).toEqual([400, ['new_password']])
    expect(await pathOf(person.password, 'x'.repeat(1001))).toEqual([400, ['new_password']])
    expect(await pathOf(person.password, person.email_address.toUpperCase())).toEqual([400, ['new_password']])
  })
})

describe('POST /console/api/password-resets', () => {
  test('200 with an email whose link works once and ends every session', async () => {
    const person = await signedIn(service)
    expect((await post('password-resets', { email_address: person.email_address.toUpperCase() })).status).toBe(200)
    const token = await tokenMailedTo(person.email_address)
    const [row] = await service.db.sql`select * from relata.password_resets`
    expect(JSON.stringify(row)).not.toContain(token)
    expect((await post(`password-resets/${token}`, { password: 'short' })).status).toBe(400)
    expect((await post(`password-resets/${token}`, { password: NEW_PASSWORD })).status).toBe(200)
    expect((await post(`password-resets/${token}`, { password: NEW_PASSWORD })).status).toBe(404)
    expect((await person.ask('GET', '/console/api/sessions')).status).toBe(401)
    expect(await signIn(person.email_address, NEW_PASSWORD)).toBe(200)
  })

  test('200 for an address without an account, and no email', async () => {
    const before = service.sentEmails.length
    expect((await post('password-resets', { email_address: 'nobody@example.com' })).body).toEqual({ data: {} })
    const person = await signedIn(service)
    await post('password-resets', { email_address: person.email_address })
    await tokenMailedTo(person.email_address)
    expect(service.sentEmails.slice(before).map(({ to }) => to)).toEqual([person.email_address])
  })

  test('404 for a link of another kind and for one after an hour; 200 for one of two concurrent requests', async () => {
    const { setNow, appContext } = service
    const person = await signedIn(service)
    expect((await post('password-resets/none', { password: NEW_PASSWORD })).status).toBe(404)
    await post('password-resets', { email_address: person.email_address })
    const token = await tokenMailedTo(person.email_address)
    const now = appContext.now()
    setNow(now + 3600 * 1_000_000)
    expect((await post(`password-resets/${token}`, { password: NEW_PASSWORD })).status).toBe(404)
    setNow()
    const twice = [0, 1].map(() => post(`password-resets/${token}`, { password: NEW_PASSWORD }))
    expect((await Promise.all(twice)).map(({ status }) => status).toSorted()).toEqual([200, 404])
  })
})

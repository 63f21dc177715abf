import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, serviceUrl, SIGNED_OUT, signIn, test } from '../../support/journey'
import { joinAs } from '../../support/second-member'

const PASSWORD = 'a bridge of numbers'
const STEP_MS = 30_000

/** Passkeys belong to a host name, so the browser uses the name of the service and not its address. */
const namedUrl = () => serviceUrl().replace('127.0.0.1', 'localhost')

/** A page with an authenticator that confirms by itself. */
async function pageWithAuthenticator(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ baseURL: namedUrl(), storageState: SIGNED_OUT })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const options = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true }
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true, ...options },
  })
  return page
}

/** The code of an authenticator app, `steps` time steps from now. */
const codeOf = (key: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: Date.now() + steps * STEP_MS })

async function signInAgain(page: Page, email: string): Promise<void> {
  const { origin } = new URL(page.url())
  await page.context().clearCookies()
  await page.goto(`${origin}/sign-in`)
  await signIn(page, email, PASSWORD)
  await expect(page.getByRole('heading', { name: "Confirm that it's you" })).toBeVisible()
}

test('a member adds a passkey and an authenticator app, signs in with each, and removes them', async ({
  page: admin,
  browser,
}) => {
  const { email, context } = await joinAs(browser, await consoleOf(admin.request), {
    first_name: 'Hypatia',
    last_name: 'Alexandria',
  })
  await context.close()
  const page = await pageWithAuthenticator(browser)
  await page.goto('/sign-in')
  await signIn(page, email, PASSWORD)
  await expect(page).toHaveURL(/\/home$/)

  await page.goto('/settings/account')
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const naming = page.getByRole('dialog', { name: 'Add a passkey' })
  await naming.getByLabel('Name').fill('Laptop')
  await expectAccessible(page)
  await naming.getByRole('button', { name: 'Add passkey' }).click()
  const codes = page.getByRole('list', { name: 'Recovery codes' })
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  await expectAccessible(page)
  const recoveryCode = (await codes.getByRole('listitem').first().textContent()) ?? ''
  await page.getByRole('button', { name: 'I stored them' }).click()
  const factors = page.getByRole('list', { name: 'Second factors' })
  await expect(factors.getByText('Laptop')).toBeVisible()

  await factors.getByRole('button', { name: 'Set up' }).click()
  const setup = page.getByRole('dialog', { name: 'Set up an authenticator app' })
  await expect(setup.getByRole('img', { name: 'QR code of the key' })).toBeVisible()
  await expectAccessible(page)
  const key = (await setup.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? ''
  await setup.getByLabel('Code', { exact: true }).fill('000000')
  await setup.getByRole('button', { name: 'Confirm' }).click()
  await expect(setup.getByText("That code isn't right. Enter the newest one.")).toBeVisible()
  await setup.getByLabel('Code', { exact: true }).fill(codeOf(key))
  await setup.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('Authenticator app added', { exact: true })).toBeVisible()
  await expectAccessible(page)

  await signInAgain(page, email)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Use passkey' }).click()
  await expect(page).toHaveURL(/\/home$/)

  await signInAgain(page, email)
  await page.getByRole('button', { name: 'Use an authenticator app' }).click()
  await page.getByLabel('Code').fill(codeOf(key, 1))
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/home$/)

  await signInAgain(page, email)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(recoveryCode)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/home$/)

  await page.context().clearCookies()
  await page.goto('/sign-in?next=/settings/account')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page).toHaveURL(/\/settings\/account$/)
  const sessions = page.getByRole('list', { name: 'Sessions' })
  await expect(sessions.getByRole('listitem').filter({ hasText: 'This session' })).toContainText('Passkey')
  await expect(factors.getByText('9 of 10 left')).toBeVisible()
  await factors.getByRole('listitem').filter({ hasText: 'Laptop' }).getByRole('button', { name: 'Remove' }).click()
  const removal = page.getByRole('dialog', { name: 'Remove the passkey' })
  await removal.getByLabel('Password').fill('wrong')
  await removal.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(removal.getByRole('alert')).toBeVisible()
  await expectAccessible(page)
  await removal.getByLabel('Confirm with').selectOption('Passkey')
  await removal.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(page.getByText('Passkey removed')).toBeVisible()
  await expect(factors.getByText('Laptop')).toHaveCount(0)

  await page.context().clearCookies()
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('not accepted')
  await expectAccessible(page)
  await page.context().close()
})

test('a workspace that requires a second factor shows no data before the enrolment of one', async ({
  page: admin,
  browser,
}) => {
  const { csrf_token } = (await (await admin.request.get('/console/api/session')).json()).data
  const headers = { 'X-CSRF-Token': csrf_token }
  const created = await admin.request.post('/console/api/workspaces', {
    headers,
    data: { name: 'Zuse Works', slug: 'zuse-works' },
  })
  const { id } = (await created.json()).data
  const path = `/console/api/workspaces/${id}`
  const settings = async (method: string, rest: string, data?: unknown) => {
    const answer = await admin.request.fetch(path + rest, { method, headers, data })
    return { status: answer.status(), body: await answer.json() }
  }
  const ofZuse = { ...(await consoleOf(admin.request)), workspaceId: id, settings }
  const { email, context } = await joinAs(browser, ofZuse, { first_name: 'Konrad', last_name: 'Zuse' })
  await context.close()
  expect((await settings('PATCH', '/sign-in', { requires_second_factor: true })).status).toBe(200)

  const page = await pageWithAuthenticator(browser)
  await page.goto('/sign-in?next=/settings/members')
  await signIn(page, email, PASSWORD)
  await expect(page.getByRole('heading', { name: 'Add a second factor' })).toBeVisible()
  await expect(page.getByRole('navigation')).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('button', { name: 'I stored them' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Members' })).toBeVisible()
  await expect(page.getByText(email)).toBeVisible()
  await page.context().close()
})

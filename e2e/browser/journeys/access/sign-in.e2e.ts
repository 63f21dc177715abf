import { ADMIN, consoleOf, expect, serviceUrl, signIn, SIGNED_OUT, test, testSignedOut } from '../../support/journey'

testSignedOut('a wrong password is refused, and the right one continues to the requested page', async ({ page }) => {
  await page.goto('/settings/keys?x=1')
  await expect(page).toHaveURL(/\/sign-in\?next=/)
  await expect(page.getByLabel('Email address')).toBeFocused()
  await signIn(page, ADMIN.email, 'not the password')
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByLabel('Password')).toHaveValue('')

  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(page).toHaveURL(/\/settings\/keys\?x=1$/)
  await expect(page.getByRole('heading', { name: 'API keys' })).toBeVisible()
})

testSignedOut('the URL after the sign-in cannot be on another host', async ({ page }) => {
  await page.goto('/sign-in?next=//elsewhere.example/steal')
  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(page).toHaveURL(/\/home$/)
})

/** Other journeys have sessions of the same account in other browsers. */
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0'
const SAFARI = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15'

testSignedOut.describe(() => {
  testSignedOut.use({ userAgent: FIREFOX })

  testSignedOut('a session that ended elsewhere asks to sign in and returns to the page', async ({ page, browser }) => {
    await page.goto('/sign-in')
    await signIn(page, ADMIN.email, ADMIN.password)
    await expect(page).toHaveURL(/\/home$/)
    await page.goto('/settings/members')
    await expect(page.getByRole('list', { name: 'Members' })).toBeVisible()

    const elsewhere = await browser.newContext({ baseURL: serviceUrl(), storageState: SIGNED_OUT, userAgent: SAFARI })
    const other = await elsewhere.newPage()
    await other.goto('/sign-in')
    await signIn(other, ADMIN.email, ADMIN.password)
    await expect(other).toHaveURL(/\/home$/)
    await other.goto('/settings/account')
    const sessions = other.getByRole('list', { name: 'Sessions' })
    await expect(sessions.getByText('This session')).toBeVisible()
    const ofThePage = sessions.getByRole('listitem').filter({ hasText: 'Firefox' }).first()
    await ofThePage.getByRole('button', { name: 'Sign out' }).click()
    await expect(other.getByText('Session signed out')).toBeVisible()
    await elsewhere.close()

    // Any refused request opens the dialog, which may cover the link by now.
    await page.getByRole('link', { name: 'Objects' }).dispatchEvent('click')
    await expect(page.getByRole('dialog', { name: 'You are signed out' })).toBeVisible()
    const opened = page.waitForEvent('popup')
    await page.getByRole('dialog').getByRole('link', { name: 'Sign in', exact: true }).click()
    const tab = await opened
    await signIn(tab, ADMIN.email, ADMIN.password)
    await expect(tab).toHaveURL(/\/settings\/objects$/)
    await expect(page.getByRole('dialog', { name: 'You are signed out' })).toHaveCount(0)
    await expect(page).toHaveURL(/\/settings\/objects$/)
  })
})

testSignedOut('invalid links to password resets and invitations have a page that says so', async ({ page }) => {
  await page.goto('/invitations/nonsense')
  await expect(page.getByText('This invitation is no longer valid')).toBeVisible()
  await page.goto('/reset-password/nonsense')
  await page.getByLabel('New password').fill('long enough to be one')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('This link is no longer valid')).toBeVisible()
  await page.goto('/sign-in')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('Email address').fill('nobody@example.com')
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByText('Check your inbox')).toBeVisible()
})

test('the API identifies the signed-in member', async ({ request }) => {
  const { v2 } = await consoleOf(request)
  expect((await v2('GET', '/objects')).status).toBe(200)
})

import { ADMIN, expect, serviceUrl, signIn, SIGNED_OUT, test } from '../../support/journey'

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('a member is invited, joins, has no access to admin pages, and is suspended immediately', async ({
  page,
  browser,
}) => {
  await page.goto('/settings/members')
  await page.getByRole('button', { name: 'Invite member' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email address').fill('grace@example.com')
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  const link = (await dialog.locator('code').textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('list', { name: 'Invitations' }).getByText('grace@example.com')).toBeVisible()

  const context = await browser.newContext({ baseURL: serviceUrl(), storageState: SIGNED_OUT })
  const hers = await context.newPage()
  await hers.goto(new URL(link).pathname)
  await expect(hers.getByRole('heading', { name: `Join ${ADMIN.workspace}` })).toBeVisible()
  await hers.getByLabel('First name').fill('Grace')
  await hers.getByLabel('Last name').fill('Hopper')
  await hers.getByLabel('Password').fill('nanoseconds of wire')
  await hers.getByRole('button', { name: 'Join workspace' }).click()
  await expect(hers.getByRole('button', { name: 'Grace Hopper' })).toBeVisible()

  await hers.goto('/settings/members')
  await expect(hers.getByRole('list', { name: 'Members' }).getByText('Ada Lovelace')).toBeVisible()
  await expect(hers.getByRole('button', { name: 'Invite member' })).toHaveCount(0)
  await expect(hers.getByRole('link', { name: 'API keys' })).toHaveCount(0)
  for (const path of ['/settings/keys', '/settings/apps', '/settings/audit-log', '/settings/workspace']) {
    await hers.goto(path)
    await expect(hers.getByText("You don't have access").first()).toBeVisible()
    await expect(hers.getByRole('button', { name: /^New (key|app)$/ })).toHaveCount(0)
  }

  await hers.goto('/settings/objects/people')
  await expect(hers.getByRole('list', { name: 'Attributes' }).getByText('Email addresses')).toBeVisible()
  for (const name of ['New attribute', 'Rename', /^Archive /]) {
    await expect(hers.getByRole('button', { name })).toHaveCount(0)
  }
  await hers.goto('/settings/objects/people/job_title')
  await expect(hers.getByLabel('Title')).toBeDisabled()
  await expect(hers.getByRole('button', { name: /^(Save|Save default|Archive)$/ })).toHaveCount(0)
  for (const [path, name] of [
    ['/settings/objects', 'New object'],
    ['/webhooks', 'New webhook'],
    ['/webhooks/test-endpoints', 'New test endpoint'],
  ] as const) {
    await hers.goto(path)
    await expect(hers.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(hers.getByRole('button', { name })).toHaveCount(0)
  }

  await hers.goto('/settings/account')
  await hers
    .getByLabel('Picture', { exact: true })
    .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: PIXEL })
  await expect(hers.getByText('Picture updated')).toBeVisible()
  await hers.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(hers.getByText('Picture removed')).toBeVisible()
  await expect(hers.getByRole('button', { name: 'Add picture' })).toBeVisible()

  await page.reload()
  const managesApps = page.getByLabel('Manage apps')
  const saved = () => page.waitForResponse((response) => response.request().method() === 'PATCH')
  await Promise.all([saved(), managesApps.check()])
  await hers.goto('/settings/apps')
  await expect(hers.getByRole('button', { name: 'New app' })).toBeVisible()
  await expect(hers.getByRole('link', { name: 'Apps' })).toBeVisible()
  await Promise.all([saved(), managesApps.uncheck()])
  await hers.reload()
  await expect(hers.getByText("You don't have access").first()).toBeVisible()

  await page.getByLabel('Role of Grace Hopper').selectOption({ label: 'Suspended' })
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
  await expect(page.getByText('Role updated')).toBeVisible()
  await expect(page.getByLabel('Role of Grace Hopper')).toHaveValue('suspended')
  await hers.goto('/objects')
  await signIn(hers, 'grace@example.com', 'nanoseconds of wire')
  await expect(hers.getByText('Your access is suspended')).toBeVisible()
  await context.close()

  await page.getByLabel('Role of Ada Lovelace').selectOption({ label: 'Member' })
  await expect(page.getByRole('status').getByText(/admin/)).toBeVisible()
  await expect(page.getByLabel('Role of Ada Lovelace')).toHaveValue('admin')
})

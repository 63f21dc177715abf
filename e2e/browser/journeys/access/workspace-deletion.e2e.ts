import { expectAccessible } from '../../support/accessible'
import { ADMIN, expect, serviceUrl, SIGNED_OUT, test } from '../../support/journey'

test('an admin deletes the only workspace of the account, restores it, and another admin sees it deleted', async ({
  page,
  browser,
}) => {
  const { data: state } = await (await page.request.get('/console/api/session')).json()
  const headers = { 'X-CSRF-Token': state.csrf_token }
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(`/console/api${path}`, { headers, data })
    expect(answer.ok()).toBe(true)
    return (await answer.json()).data
  }
  const { id } = await post('/workspaces', { name: 'Zephyr', slug: 'zephyr' })
  const { invite_url } = await post(`/workspaces/${id}/invitations`, {
    email_address: 'nina@example.com',
    access_level: 'admin',
  })
  const context = await browser.newContext({ baseURL: serviceUrl(), storageState: SIGNED_OUT })
  const data = { first_name: 'Nina', last_name: 'Admin', password: 'a bridge of numbers' }
  const token = new URL(invite_url).pathname.split('/').at(-1)
  expect((await context.request.post(`/console/api/invitations/${token}/accept`, { data })).ok()).toBe(true)

  const hers = await context.newPage()
  const deleteZephyr = async () => {
    await hers.goto('/settings/workspace')
    await hers.getByRole('button', { name: 'Delete workspace…' }).click()
    const dialog = hers.getByRole('dialog', { name: 'Delete workspace “Zephyr”?' })
    await expect(dialog.getByText('For 30 days, an admin can restore all of it.')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Delete workspace' })).toBeDisabled()
    await dialog.getByLabel('Type “Zephyr” to confirm').fill('Zephyr')
    await expectAccessible(hers)
    await dialog.getByRole('button', { name: 'Delete workspace' }).click()
    await expect(hers.getByRole('heading', { name: 'Your workspace is deleted' })).toBeVisible()
  }
  await deleteZephyr()
  await expectAccessible(hers)
  await hers.getByRole('button', { name: 'Restore' }).click()
  await expect(hers.getByText('Zephyr restored')).toBeVisible()
  await expect(hers.getByRole('button', { name: 'Zephyr' })).toBeVisible()
  await hers.goto('/settings/audit-log')
  await expect(hers.getByText('restored the workspace').first()).toBeVisible()
  // An open page of the other admin says so, and offers the other workspace.
  await page.goto('/objects')
  await page.getByRole('button', { name: ADMIN.workspace }).click()
  await page.getByRole('menuitemradio', { name: 'Zephyr' }).click()
  await expect(page.getByRole('button', { name: 'Zephyr' })).toBeVisible()
  await deleteZephyr()
  await expect(hers.getByRole('button', { name: 'Create workspace' })).toBeHidden()
  await context.close()
  // Any refused request opens the dialog, which may cover the link by now.
  await page.getByRole('link', { name: 'Tasks', exact: true }).dispatchEvent('click')
  const missing = page.getByRole('dialog', { name: 'Zephyr is no longer available' })
  await expect(missing.getByText('An admin deleted this workspace, or ended your access to it.')).toBeVisible()
  await expectAccessible(page)
  await missing.getByRole('button', { name: 'Open' }).first().click()
  await expect(missing).toBeHidden()
  await expect(page.getByRole('button', { name: ADMIN.workspace })).toBeVisible()

  // The deleted workspace is on the account page of its other admin, who has another one.
  await page.goto('/settings/account')
  await expect(page.getByRole('button', { name: ADMIN.workspace })).toBeVisible()
  const deleted = page.getByRole('list', { name: 'Deleted workspaces' })
  await expect(deleted.getByText('Zephyr')).toBeVisible()
  await expect(deleted.getByText('Removed for good on')).toBeVisible()
  await expectAccessible(page)
})

test('an open page of a workspace that has moved shows its new address', async ({ page }) => {
  await page.goto('/objects')
  await expect(page.getByRole('button', { name: ADMIN.workspace })).toBeVisible()
  const moved_to = 'https://crm-2.example.com'
  const message = `This workspace has moved to ${moved_to}. Send requests there.`
  await page.route('**/console/v2/**', (route) =>
    route.fulfill({
      status: 410,
      json: { status_code: 410, type: 'invalid_request_error', code: 'workspace_moved', message, moved_to },
    }),
  )
  await page.getByRole('link', { name: 'Tasks' }).dispatchEvent('click')
  const moved = page.getByRole('dialog', { name: `${ADMIN.workspace} has moved` })
  await expect(moved.getByRole('link', { name: 'Go to crm-2.example.com' })).toHaveAttribute('href', moved_to)
  await expectAccessible(page)
})

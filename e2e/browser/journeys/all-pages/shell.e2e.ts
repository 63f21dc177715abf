import { consoleOf, expect, test } from '../../support/journey'

test('the palette finds records, pages and actions by keyboard', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const made = await v2('POST', '/objects/people/records', { data: { values: { name: 'Katherine Johnson' } } })
  await page.goto('/settings/account')
  await expect(page.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('kather')
  const found = page.getByRole('listbox', { name: 'Search results' })
  await expect(found.getByRole('option', { name: 'Katherine Johnson' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/objects/people/${made.body.data.id.record_id}`)

  await page.keyboard.press('Control+k')
  await page.keyboard.type('mem')
  await expect(found.getByRole('option', { name: 'Members Settings' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/settings\/members$/)

  await page.keyboard.press('Control+k')
  await page.keyboard.type('dark')
  await expect(found.getByRole('option').first()).toContainText(/dark/i)
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('shortcuts open pages and are listed', async ({ page }) => {
  await page.goto('/settings/members')
  await expect(page.getByRole('heading', { name: 'Members', exact: true })).toBeVisible()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to objects')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await expect(page).toHaveURL(/\/objects\/people$/)
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Members', exact: true })).toBeVisible()
})

test('the `web_url` of a record opens the record, and an unknown URL opens “Page not found”', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const made = await v2('POST', '/objects/companies/records', { data: { values: { name: 'Bletchley' } } })
  await page.goto(new URL(made.body.data.web_url).pathname)
  await expect(page).toHaveURL(`/objects/companies/${made.body.data.id.record_id}`)
  for (const path of [
    '/nothing/person/1',
    '/settings/nothing',
    '/settings/objects/nothing',
    '/settings/apps/nothing',
  ]) {
    await page.goto(path)
    await expect(page.getByText(/Page not found|Object not found|Not found/)).toBeVisible()
  }
})

test('a failed request is shown and can be retried', async ({ page }) => {
  await page.route('**/console/api/workspaces/*/members', (route) => route.abort())
  await page.goto('/settings/members')
  await expect(page.getByText("Couldn't load this")).toBeVisible()
  await page.unroute('**/console/api/workspaces/*/members')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('list', { name: 'Members' })).toBeVisible()
})

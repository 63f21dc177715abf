import { expectAccessible } from '../../support/accessible'
import { expect, test } from '../../support/journey'

test('an admin sees the indexes and the queries that requested them, and drops one', async ({ page }) => {
  const index = {
    name: 'o_1_a_2_value_hashed',
    object: 'people',
    attributes: ['job_title'],
    kind: 'exact',
    state: 'ready',
    is_pinned: false,
    size: '16 kB',
    scans: 7,
    requests: 40,
    requested_by: ['job_title = …'],
    last_used_at: null,
    build_ms: 12,
    error: null,
  }
  // The service builds indexes only for objects with more records than a journey creates.
  await page.route('**/console/api/**/indexes', (route) => route.fulfill({ json: { data: [index] } }))
  const sent = page.waitForRequest((request) => request.url().endsWith(`/indexes/${index.name}`))
  await page.route(`**/console/api/**/indexes/${index.name}`, (route) => route.fulfill({ json: { data: {} } }))
  await page.goto('/settings/indexes')
  const row = page.getByRole('list', { name: 'Indexes' }).getByRole('listitem').first()
  await expect(row).toContainText('For equal values · requested 40 times')
  await expect(row).toContainText('job_title = …')
  await expect(row).toContainText('16 kB')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Actions for people · job_title, exact' }).click()
  await page.getByRole('menuitem', { name: 'Drop…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Drop index' }).click()
  expect((await sent).postDataJSON()).toEqual({ action: 'drop' })
})

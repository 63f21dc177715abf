/** The workspace in the URL: links and other tabs open the workspace they are of. */

import { expectAccessible } from '../../support/accessible'
import { ADMIN, consoleOf, expect, test } from '../../support/journey'

test('each address names its workspace, and one of an earlier version leads to the last workspace', async ({
  page,
  context,
}) => {
  const { data: state } = await (await page.request.get('/console/api/session')).json()
  const headers = { 'X-CSRF-Token': state.csrf_token }
  const first: string = state.workspaces[0].slug
  const made = await page.request.post('/console/api/workspaces', { headers, data: { name: 'Yonder', slug: 'yonder' } })
  const { id } = (await made.json()).data
  const switcher = (name: string) => page.getByRole('button', { name, exact: true })
  const pathOf = () => new URL(page.url()).pathname

  await page.goto('/objects/people')
  await expect.poll(pathOf).toBe(`/${first}/objects/people`)
  const tasks = page.getByRole('link', { name: 'Tasks' })
  await tasks.hover()
  await expect(tasks).toHaveAttribute('href', `/${first}/tasks`)
  await tasks.click()
  await expect.poll(pathOf).toBe(`/${first}/tasks`)

  await switcher(ADMIN.workspace).click()
  await page.getByRole('menuitemradio', { name: 'Yonder' }).click()
  await expect(switcher('Yonder')).toBeVisible()
  await expect.poll(pathOf).toBe('/yonder/home')
  await page.goBack()
  await expect(switcher(ADMIN.workspace)).toBeVisible()
  expect(pathOf()).toBe(`/${first}/tasks`)

  const other = await context.newPage()
  await other.goto('/yonder/objects/companies?sort=name')
  await expect(other.getByRole('button', { name: 'Yonder', exact: true })).toBeVisible()
  await expect(other.getByText('No companies yet')).toBeVisible()
  await other.close()
  await page.reload()
  await expect(switcher(ADMIN.workspace)).toBeVisible()

  await page.goto('/yonder/settings/workspace')
  await page.getByLabel('URL').fill('yonder-hills')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(pathOf).toBe('/yonder-hills/settings/workspace')
  await expect(switcher('Yonder')).toBeVisible()

  await page.goto('/yonder/objects/people')
  await expect(page.getByRole('heading', { name: 'Workspace not found' })).toBeVisible()
  await expectAccessible(page)
  expect((await page.request.delete(`/console/api/workspaces/${id}`, { headers, data: { name: 'Yonder' } })).ok()).toBe(
    true,
  )
  await page.reload()
  await page.getByRole('button', { name: `Go to ${ADMIN.workspace}` }).click()
  await expect(switcher(ADMIN.workspace)).toBeVisible()
})

test('the address of a merged record leads to the record that the merge made', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const create = async (name: string): Promise<string> =>
    (await v2('POST', '/objects/companies/records', { data: { values: { name } } })).body.data.id.record_id
  const [primary_record_id, secondary_record_id] = [await create('Bridges'), await create('Brigdes')]
  const pair = { primary_record_id, secondary_record_id }
  const merged = (await v2('POST', '/objects/companies/records/merge', { data: pair })).body.data.new_record_id
  for (const old of [primary_record_id, secondary_record_id]) {
    await page.goto(`/objects/companies/${old}`)
    await expect(page).toHaveURL(`/objects/companies/${merged}`)
    await expect(page.getByRole('heading', { level: 1, name: 'Bridges' })).toBeVisible()
  }
})

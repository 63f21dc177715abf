/** A list starts from a template and is shared from its page. */

import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

test('a list starts from the hiring template and opens as a board', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const name = `Hiring ${crypto.randomUUID().slice(0, 8)}`
  const slug = name.toLowerCase().replace(' ', '_')
  await page.goto('/settings/lists')
  await page.getByRole('button', { name: 'New list' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Hiring' }).check()
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Hiring')
  await expect(dialog.getByRole('combobox', { name: 'Record type' })).toHaveValue('people')
  await expectAccessible(page)
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('button', { name: 'Create list' }).click()
  await expect(page).toHaveURL(`/lists/${slug}?board=stage`)
  const titles = ['Applied', 'Screening', 'Interview', 'Offer', 'Hired', 'Rejected']
  await expect(page.getByRole('region', { name: 'Board by Stage' }).getByRole('heading')).toHaveText(titles)
  const { data } = (await v2('GET', `/lists/${slug}/attributes/stage/statuses`)).body
  expect(data.map(({ title }: { title: string }) => title)).toEqual(titles)
  expect(data[4].celebration_enabled).toBe(true)
})

test('a list is shared with a member and a team from its page', async ({ page }) => {
  const { v2, settings } = await consoleOf(page.request)
  const id = crypto.randomUUID().slice(0, 8)
  const list = { name: `Shared ${id}`, api_slug: `shared_${id}`, parent_object: 'people' }
  await v2('POST', '/lists', { data: { ...list, workspace_access: 'full-access', workspace_member_access: [] } })
  await settings('POST', '/teams', { name: `Team ${id}` })
  const access = async () => (await v2('GET', `/lists/${list.api_slug}`)).body.data

  await page.goto(`/lists/${list.api_slug}`)
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: `Share ${list.name}` })
  await dialog.getByRole('combobox', { name: 'Workspace access' }).selectOption('Can view')
  await expect.poll(async () => (await access()).workspace_access).toBe('read-only')
  // A list keeps at least one member with full access: here the member who reduces the access of the workspace.
  const own = dialog.getByRole('combobox', { name: 'Access of Ada Lovelace' })
  await expect(own).toHaveValue('full-access')

  await dialog.getByRole('combobox', { name: `Access of Team ${id}` }).selectOption('Can edit entries')
  await expect.poll(async () => (await settings('GET', `/lists/${list.api_slug}/teams`)).body.data).toHaveLength(1)
  await expectAccessible(page)

  await dialog.getByRole('combobox', { name: 'Workspace access' }).selectOption('Full access')
  await expect.poll(async () => (await access()).workspace_access).toBe('full-access')
  await own.selectOption('Remove access')
  await expect(own).toHaveCount(0)
  await dialog.getByRole('combobox', { name: 'Add people' }).fill('Ada')
  await page.getByRole('option', { name: 'Ada Lovelace' }).click()
  await expect(own).toHaveValue('read-and-write')
  await expect.poll(async () => (await access()).workspace_member_access).toHaveLength(1)
})

/** Objects, lists and attributes are deleted in the settings, after their name was typed. */

import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

test('an attribute, a list and an object are deleted, and what is lost is counted', async ({ page }) => {
  const { v2, create } = await consoleOf(page.request)
  const id = crypto.randomUUID().slice(0, 8)
  const [object, list] = [`ships${id}`, `fleet_${id}`]
  await create('/objects', { api_slug: object, singular_noun: `Ship ${id}`, plural_noun: `Ships ${id}` })
  await create(`/objects/${object}/attributes`, attribute('Name', 'name', 'text'))
  await create(`/objects/${object}/attributes`, attribute('Tons', 'tons', 'number'))
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await create('/lists', { name: `Fleet ${id}`, api_slug: list, parent_object: object, ...access })
  for (const values of [{ name: 'Argo', tons: 5 }, { name: 'Beagle', tons: 7 }, { name: 'Calypso' }]) {
    const record = await create(`/objects/${object}/records`, { values })
    const parent = { parent_object: object, parent_record_id: record.id.record_id }
    await create(`/lists/${list}/entries`, { ...parent, entry_values: {} })
  }
  const dialog = page.getByRole('dialog')
  const losses = dialog.getByRole('list', { name: 'What is deleted' })

  await page.goto(`/settings/objects/${object}/tons`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await expect(losses).toHaveText('The values of 2 records, with their history')
  await expect(dialog.getByRole('button', { name: 'Delete attribute' })).toBeDisabled()
  await dialog.getByRole('textbox').fill('Ton')
  await expect(dialog.getByRole('button', { name: 'Delete attribute' })).toBeDisabled()
  await dialog.getByRole('textbox').fill('Tons')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete attribute' }).click()
  await expect(page).toHaveURL(`/settings/objects/${object}`)
  await expect(page.getByText('Tons deleted')).toBeVisible()
  expect((await v2('GET', `/objects/${object}/attributes/tons`)).status).toBe(404)

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(losses).toContainText('3 records, with their values and history')
  await expect(losses).toContainText('1 list of these records with 3 entries')
  await expect(losses).toContainText('1 attribute')
  await page.keyboard.press('Escape')

  await page.goto(`/settings/lists/${list}`)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(losses).toHaveText('3 entries, with their values and comments')
  await dialog.getByRole('textbox').fill(`Fleet ${id}`)
  await dialog.getByRole('button', { name: 'Delete list' }).click()
  await expect(page).toHaveURL('/settings/lists')
  await expect.poll(async () => (await v2('GET', `/lists/${list}`)).status).toBe(404)

  await page.goto(`/settings/objects/${object}`)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('textbox').fill(`Ships ${id}`)
  await expect(dialog.getByRole('button', { name: 'Delete object' })).toBeEnabled()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/settings/objects')
  await expect.poll(async () => (await v2('GET', `/objects/${object}`)).status).toBe(404)
})

test('a deleted object comes back by Undo, and from the deleted objects, also under another name', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const id = crypto.randomUUID().slice(0, 8)
  const [object, name] = [`relics${id}`, `Relics ${id}`]
  const names = { api_slug: object, singular_noun: `Relic ${id}`, plural_noun: name }
  await v2('POST', '/objects', { data: names })
  await v2('POST', `/objects/${object}/attributes`, { data: attribute('Name', 'name', 'text') })
  await v2('POST', `/objects/${object}/records`, { data: { values: { name: 'Antikythera' } } })
  const dialog = page.getByRole('dialog')
  const deleted = page.getByRole('list', { name: 'Deleted objects' }).getByRole('listitem').filter({ hasText: name })
  const objects = page
    .getByRole('list', { name: 'Objects', exact: true })
    .getByRole('listitem')
    .filter({ hasText: name })
  const remove = async () => {
    await page.goto(`/settings/objects/${object}`)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(dialog.getByText('You can restore it from the trash for 30 days.')).toBeVisible()
    await dialog.getByRole('textbox').fill(name)
    await dialog.getByRole('button', { name: 'Delete object' }).click()
    await expect(deleted).toContainText('Ada Lovelace')
    await expect(deleted).toContainText('30 days left')
    await expect(objects).toHaveCount(0)
  }

  await remove()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Deletion undone')).toBeVisible()
  await expect(objects).toHaveCount(1)
  await expect(deleted).toHaveCount(0)

  await remove()
  await page.getByRole('button', { name: `Restore ${name}` }).click()
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page).toHaveURL(`/objects/${object}`)
  await expect(page.getByText('Antikythera')).toBeVisible()

  await remove()
  await v2('POST', '/objects', { data: { ...names, singular_noun: 'x', plural_noun: `x ${id}` } })
  await page.getByRole('button', { name: `Restore ${name}` }).click()
  await expect(dialog.getByText('Choose others.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Slug' }).fill(`old_${object}`)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Restore object' }).click()
  await expect(objects).toContainText(`old_${object}`)
  await page.goto(`/objects/old_${object}`)
  await expect(page.getByText('Antikythera')).toBeVisible()

  expect((await v2('DELETE', `/objects/old_${object}`)).status).toBe(200)
  await page.goto('/settings/objects')
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Delete permanently' }).click()
  await expect(dialog).toContainText(`Delete “${name}” permanently?`)
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByText(`${name} deleted permanently`)).toBeVisible()
  await expect(deleted).toHaveCount(0)
  await v2('DELETE', `/objects/${object}`)
})

test('standard objects and system attributes cannot be deleted', async ({ page }) => {
  await page.goto('/settings/objects/people')
  await expect(page.getByRole('button', { name: 'Rename' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete', exact: true })).toHaveCount(0)
  await page.goto('/settings/objects/people/name')
  await expect(page.getByText("System attribute: can't be edited")).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete' })).toHaveCount(0)
})

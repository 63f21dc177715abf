/** Activities in the settings, and the table of their records. */

import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

test('an activity is created, gets an attribute, is renamed and deleted', async ({ page }) => {
  await page.goto('/settings/activities')
  await page.getByRole('button', { name: 'New activity' }).click()
  const dialog = page.getByRole('dialog', { name: 'New activity' })
  await dialog.getByLabel('Plural name').fill('Phone calls')
  await dialog.getByLabel('Singular name').fill('Tasting')
  await dialog
    .getByLabel('Extends')
    .selectOption({ label: 'Call: an interaction with direction, outcome and duration' })
  await dialog.getByRole('button', { name: 'Create activity' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByLabel('Plural name').fill('Tastings')
  await dialog.getByLabel('Slug').fill('tastings')
  await dialog.getByRole('button', { name: 'Create activity' }).click()
  await expect(page).toHaveURL(/\/settings\/activities\/tastings$/)
  await expect(page.getByRole('listitem').filter({ hasText: 'Direction' })).toBeVisible()

  await page.getByRole('button', { name: 'New attribute' }).click()
  await page.getByRole('dialog').getByLabel('Title').fill('Wine')
  await page.getByRole('dialog').getByRole('button', { name: 'Create attribute' }).click()
  await expect(page.getByText('Wine created')).toBeVisible()
  await page.getByRole('button', { name: 'Archive Wine' }).click()
  await expect(page.getByRole('list', { name: 'Archived attributes' })).toContainText('Wine')
  // The list shows both before they are done.
  await expect(page.getByText('Wine archived')).toBeVisible()
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('Wine restored')).toBeVisible()
  await page.getByRole('link', { name: 'Wine' }).click()
  await page.getByLabel('Default').fill('Riesling')
  await page.getByRole('button', { name: 'Save default' }).click()
  await expect(page.getByText('Default value updated')).toBeVisible()

  await page.getByRole('link', { name: 'Tastings' }).click()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('Plural name').fill('Wine tastings')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Wine tastings' })).toBeVisible()

  const { v2 } = await consoleOf(page.request)
  await v2('POST', '/activities/tastings/records', { data: { values: {} } })
  await page.getByRole('button', { name: 'Delete' }).click()
  const deletion = page.getByRole('dialog', { name: 'Delete activity “Wine tastings”?' })
  await expect(deletion.getByText('1 record, with its values and history')).toBeVisible()
  await expect(deletion.getByText('You can restore it from the trash for 30 days.')).toBeVisible()
  await deletion.getByLabel('Type “Wine tastings” to confirm').fill('Wine tastings')
  await deletion.getByRole('button', { name: 'Delete activity' }).click()
  await expect(page.getByText('Wine tastings deleted')).toBeVisible()
  expect((await v2('GET', '/activities/tastings')).status).toBe(404)

  const deleted = page.getByRole('list', { name: 'Deleted activities' }).getByRole('listitem')
  await expect(deleted).toContainText('30 days left')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await expect(page.getByText('Deletion undone')).toBeVisible()
  await expect(deleted).toHaveCount(0)

  expect((await v2('DELETE', '/activities/tastings')).status).toBe(200)
  const names = { api_slug: 'tastings', singular_noun: 'x', plural_noun: 'x' }
  expect((await v2('POST', '/activities', { data: { ...names, extends: 'calls' } })).status).toBe(200)
  await page.goto('/settings/activities')
  await page.getByRole('button', { name: 'Restore Wine tastings' }).click()
  const restoration = page.getByRole('dialog', { name: 'Restore activity' })
  await expect(restoration.getByText('Choose others.')).toBeVisible()
  await restoration.getByLabel('Slug').fill('old_tastings')
  await expectAccessible(page)
  await restoration.getByRole('button', { name: 'Restore activity' }).click()
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page).toHaveURL('/activities/old_tastings')
  await expect(page.getByRole('grid').getByRole('row')).not.toHaveCount(0)

  for (const slug of ['old_tastings', 'tastings']) expect((await v2('DELETE', `/activities/${slug}`)).status).toBe(200)
  await page.goto('/settings/activities')
  await page.getByRole('button', { name: 'Actions for Wine tastings' }).click()
  await page.getByRole('menuitem', { name: 'Delete permanently' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByText('Wine tastings deleted permanently')).toBeVisible()

  await page.goto('/settings/activities/phone_calls')
  await expect(page.getByRole('button', { name: 'Rename' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete' })).toHaveCount(0)
})

test('the table of an activity: navigation, edits, the record beside it, deletion and the trash', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const names = { api_slug: 'demos', singular_noun: 'Demo', plural_noun: 'Demos' }
  await v2('POST', '/activities', { data: { ...names, extends: 'calls' } })
  await page.goto('/activities/demos')
  await expect(page.getByText('No demos yet')).toBeVisible()
  const navigation = page.getByRole('navigation', { name: 'Workspace' })
  await expect(navigation.getByRole('link', { name: 'People' })).toBeVisible()
  await expect(navigation.getByRole('link', { name: 'Demos' })).toHaveCount(0)

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('log demo')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Log demo' })
  await dialog.getByLabel('Note').fill('Liked the board')
  await dialog.getByRole('button', { name: 'Log demo' }).click()
  await expect(page.getByText('Demo logged')).toBeVisible()
  await expect(navigation.getByRole('link', { name: 'Demos' })).toBeVisible()
  const grid = page.getByRole('grid', { name: 'demos' })
  await expect(grid.getByRole('row').filter({ hasText: 'Liked the board' })).toHaveCount(1)

  await v2('POST', '/activities/demos/records', {
    data: { values: { note: 'Older', timestamp: '2020-01-01T10:00:00Z' } },
  })
  await page.reload()
  await expect(grid.getByRole('row').last()).toContainText('Older')
  await expectAccessible(page)
  const note = grid.getByRole('row').last().getByRole('gridcell').filter({ hasText: 'Older' })
  await note.click()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Older and wiser')
  await page.keyboard.press('Enter')
  await expect(grid.getByRole('row').last()).toContainText('Older and wiser')

  await page.keyboard.press('Alt+Enter')
  const panel = page.getByRole('region', { name: /^Jan 1, 2020.*: Older and wiser$/ })
  await expect(panel.getByText('Details')).toBeVisible()
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'Close' }).click()

  await grid.getByRole('row').last().getByRole('gridcell').nth(0).click()
  await expect(page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button')).toHaveText([
    'Set value',
    'Export',
    'Delete',
    'Clear',
  ])
  await page.getByRole('button', { name: 'Set value' }).click()
  await page.getByRole('dialog').getByLabel('Attribute').selectOption('Outcome')
  await page.getByRole('dialog').getByRole('combobox', { name: 'Value' }).fill('Busy')
  await page.getByRole('option', { name: 'Busy' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Update 1 demo' }).click()
  await expect(grid.getByRole('row').last()).toContainText('Busy')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(page.getByText('1 demo put back')).toBeVisible()
  await expect(grid.getByRole('row').last()).not.toContainText('Busy')
  await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 1' }).click()
  await expect(page.getByText('1 demo deleted')).toBeVisible()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Trash' }).click()
  await expect(page).toHaveURL(/\/activities\/demos\/trash$/)
  await expectAccessible(page)
  await page.getByRole('button', { name: /^Restore Jan 1, 2020.*: Older and wiser$/ }).click()
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page.getByRole('heading', { name: /: Older and wiser$/ })).toBeVisible()
  await expectAccessible(page)
})

test('the palette finds a record of an activity by its note, and shows its time', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const values = { note: 'Zephyr contract, second draft', timestamp: '2026-03-12T12:00:00Z' }
  const { body } = await v2('POST', '/activities/phone_calls/records', { data: { values } })
  const id = (body as { data: { id: { record_id: string } } }).data.id.record_id // as in the contract
  await page.goto('/notes')
  await expect(page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'People' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search records, notes, pages and actions' }).fill('contract zephir')
  const option = page.getByRole('option', { name: /^Mar 12, 2026.*: Zephyr contract, second draft Phone call$/ })
  await expect(option).toHaveCount(1)
  await expectAccessible(page)
  await option.click()
  await expect(page).toHaveURL(`/activities/phone_calls/${id}`)
  await expect(page.getByRole('heading', { name: /: Zephyr contract, second draft$/ })).toBeVisible()
})

test('a condition of a webhook names an activity', async ({ page }) => {
  await page.goto('/webhooks?new=')
  const dialog = page.getByRole('dialog', { name: 'New webhook' })
  await dialog.getByRole('checkbox', { name: 'activity-record.created' }).check()
  await dialog.getByRole('button', { name: 'Add a condition for activity-record.created' }).click()
  await dialog.getByLabel('Field').selectOption('Activity')
  await dialog.getByLabel('Value').selectOption('Phone calls')
})

test('a view of an activity is saved and pinned', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const names = { api_slug: 'fairs', singular_noun: 'Fair', plural_noun: 'Fairs' }
  await v2('POST', '/activities', { data: { ...names, extends: 'activities' } })
  for (const note of ['Zebra', 'Antelope'])
    await v2('POST', '/activities/fairs/records', { data: { values: { note } } })
  await page.goto('/activities/fairs?sort=-note')
  await page.getByRole('button', { name: 'All fairs', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Save as new view' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('By note')
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('button', { name: 'By note', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Pin to navigation' }).click()
  await page.goto('/tasks')
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'By note' }).click()
  await expect(page.getByRole('grid').getByRole('row').nth(1)).toContainText('Zebra')
})

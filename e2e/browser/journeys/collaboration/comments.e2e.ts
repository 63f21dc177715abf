/** Comments on entries and records, mentions, and the inbox of the member who is mentioned. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { type Console, consoleOf, expect, test } from '../../support/journey'
import { joinAs } from '../../support/second-member'
import { attribute } from '../../support/seed'

/** A list with one company on its board. */
async function seedBoard({ v2 }: Console, slug: string, company: string): Promise<string> {
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await v2('POST', '/lists', { data: { name: slug, api_slug: slug, parent_object: 'companies', ...access } })
  await v2('POST', `/lists/${slug}/attributes`, { data: attribute('Step', 'step', 'status') })
  await v2('POST', `/lists/${slug}/attributes/step/statuses`, { data: { title: 'First' } })
  const { body } = await v2('POST', '/objects/companies/records', { data: { values: { name: company } } })
  const parent = { parent_object: 'companies', parent_record_id: body.data.id.record_id }
  const entry = await v2('POST', `/lists/${slug}/entries`, { data: { ...parent, entry_values: { step: 'First' } } })
  return entry.body.data.id.entry_id
}

const threadsOf = async ({ v2 }: Console, list: string, entryId: string) =>
  (await v2('GET', `/threads?list=${list}&entry_id=${entryId}`)).body.data

const thread = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Threads' }).getByRole('listitem').filter({ hasText: text }).first()

test('a comment on a card mentions a member, who opens it from the inbox, replies and resolves it', async ({
  page,
  browser,
}) => {
  const own = await consoleOf(page.request)
  const entryId = await seedBoard(own, 'commented_board', 'Clement Works')
  const { context, email } = await joinAs(browser, own, { first_name: 'Mary', last_name: 'Somerville' })
  const hers = await context.newPage()
  await hers.goto('/inbox')
  await expect(hers.getByText('No notifications yet')).toBeVisible()

  await page.goto('/lists/commented_board?board=step')
  await page.getByRole('listitem').filter({ hasText: 'Clement Works' }).focus()
  await page.keyboard.press('m')
  const dialog = page.getByRole('dialog', { name: 'Comments on Clement Works' })
  await dialog.getByRole('textbox', { name: 'New comment' }).focus()
  await page.keyboard.type('<b>Please</b> call them, @Mary Som')
  await expect(dialog.getByRole('option', { name: /Mary Somerville/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('textbox', { name: 'New comment' })).toHaveValue(`<b>Please</b> call them, ${email} `)
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByText('<b>Please</b> call them, @Mary Somerville')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Comments on Clement Works: 1' })).toBeVisible()
  await page.getByRole('link', { name: 'Clement Works' }).click()
  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(page.getByText('<b>Please</b> call them, @Mary Somerville')).toBeVisible()
  await page.goto('/lists/commented_board?board=step')

  await hers.bringToFront()
  const link = hers.getByRole('link', { name: 'Ada Lovelace mentioned you on Clement Works in commented_board' })
  await expect(link).toBeVisible()
  await expect(hers.getByRole('link', { name: 'Inbox 1 unread' })).toBeVisible()
  await expectAccessible(hers)
  await hers.goto('/tasks')
  await expect(hers.getByRole('heading', { level: 1, name: 'Tasks' })).toBeVisible()
  await hers.keyboard.press('g')
  await hers.keyboard.press('i')
  await expect(link).toBeVisible()
  await hers.keyboard.press('j')
  await expect(hers.getByRole('list', { name: 'Notifications' }).getByRole('listitem')).toBeFocused()
  await hers.keyboard.press('Enter')
  const panel = hers.getByRole('dialog', { name: 'Comments on Clement Works' })
  await expect(panel.locator('[aria-current="true"]')).toContainText('call them')
  await expect(hers.getByRole('link', { name: /unread/ })).toHaveCount(0)

  await panel.getByRole('button', { name: 'Reply' }).click()
  await hers.keyboard.type('I did.')
  await hers.keyboard.press('Control+Enter')
  await expect(panel.getByText('I did.')).toBeVisible()
  await panel.getByRole('button', { name: 'Resolve' }).click()
  await expect(panel.getByText(/Resolved by Mary Somerville/)).toBeVisible()
  await expect.poll(async () => (await threadsOf(own, 'commented_board', entryId))[0].comments.length).toBe(2)

  await page.bringToFront()
  await expect(page.getByRole('button', { name: 'Comment on Clement Works' })).toBeVisible()
  await page.goto('/inbox')
  await expect(page.getByRole('link', { name: /Mary Somerville replied on Clement Works/ })).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await expect(page.getByRole('button', { name: 'Mark as read' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Mark all as read' })).toBeDisabled()
  await context.close()
})

test('threads on a record are live in another tab, deleted with a question, and fit a narrow screen', async ({
  page,
  context,
}) => {
  const { v2 } = await consoleOf(page.request)
  const { body } = await v2('POST', '/objects/companies/records', { data: { values: { name: 'Jacquard Looms' } } })
  const path = `/objects/companies/${body.data.id.record_id}?tab=comments`
  const other = await context.newPage()
  await other.goto(path)
  await expect(other.getByText('No comments yet')).toBeVisible()
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(path)
  await page.getByRole('textbox', { name: 'New comment' }).fill('Their looms are fast.')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await expect(thread(page, 'Their looms are fast.')).toBeVisible()
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await other.bringToFront()
  await expect(thread(other, 'Their looms are fast.')).toBeVisible()

  await other.getByRole('button', { name: 'Edit comment' }).click()
  const editor = other.getByRole('textbox', { name: 'Comment', exact: true })
  await expect(editor).toHaveValue('Their looms are fast.')
  await editor.fill('Their looms are slow.')
  await expectAccessible(other)
  await other.getByRole('button', { name: 'Save' }).click()
  await expect(thread(other, 'Their looms are slow.')).toContainText('Edited')
  await page.bringToFront()
  await expect(thread(page, 'Their looms are slow.')).toBeVisible()
  await other.bringToFront()

  await other.getByRole('button', { name: 'Delete comment' }).click()
  await other.getByRole('dialog', { name: 'Delete thread?' }).getByRole('button', { name: 'Delete thread' }).click()
  await expect(other.getByText('No comments yet')).toBeVisible()
  const threads = `/threads?object=companies&record_id=${body.data.id.record_id}`
  await expect.poll(async () => (await v2('GET', threads)).body.data).toEqual([])
})

test('the email digest is switched off and on', async ({ page }) => {
  const { settings } = await consoleOf(page.request)
  const isOn = async () => (await settings('GET', '/inbox/settings')).body.data.email_digest as boolean
  await page.goto('/settings/account')
  const box = page.getByRole('checkbox', { name: /Email me about unread notifications/ })
  await box.uncheck()
  await expect.poll(isOn).toBe(false)
  await box.check()
  await expect.poll(isOn).toBe(true)
})

test('the entry of a table row gets a comment by keyboard, and unsent texts stay', async ({ page }) => {
  const own = await consoleOf(page.request)
  const entryId = await seedBoard(own, 'commented_rows', 'Rowan Rows')
  await page.goto('/lists/commented_rows')
  const row = page.getByRole('row').filter({ hasText: 'Rowan Rows' })
  await row.getByRole('gridcell').nth(2).click()
  await page.keyboard.press('Shift+F2')
  const dialog = page.getByRole('dialog', { name: 'Comments on Rowan Rows' })
  await dialog.getByRole('textbox', { name: 'New comment' }).fill('On a row')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await page.keyboard.press('Shift+F2')
  await expect(dialog.getByRole('textbox', { name: 'New comment' })).toHaveValue('On a row')
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByRole('list', { name: 'Threads' }).getByText('On a row')).toBeVisible()
  await expect(dialog.getByRole('textbox', { name: 'New comment' })).toHaveValue('')
  await dialog.getByRole('button', { name: 'Reply' }).click()
  await page.keyboard.type('An unsent reply')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+F2')
  await expect(dialog.getByRole('textbox', { name: 'Reply' })).toHaveValue('An unsent reply')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Reply' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Comments on Rowan Rows: 1' })).toBeVisible()
  expect(await threadsOf(own, 'commented_rows', entryId)).toHaveLength(1)
})

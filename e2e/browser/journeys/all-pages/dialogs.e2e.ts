/** Dialogs by keyboard: they open at their first field, and ask before a changed draft is discarded. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { seedDevices } from '../../support/seed'

const OBJECT = 'gadgets'
const TABLE = `/objects/${OBJECT}?sort=name`

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  await seedDevices(await consoleOf(context.request), 'gadget')
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid', { name: 'gadgets' })

test('a record is created with keys alone', async ({ page }) => {
  await page.goto(TABLE)
  await expect(grid(page).getByText('Astrolabe')).toBeVisible()
  await page.keyboard.press('c')
  await page.keyboard.type('Gyroscope X')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(grid(page).getByText('Gyroscope X')).toBeVisible()
})

test('an object is created with keys alone', async ({ page }) => {
  await page.goto('/settings/objects')
  await page.getByRole('button', { name: 'New object' }).press('Enter')
  await page.keyboard.type('Sextants')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Sextant')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/settings\/objects\/sextants$/)
})

const FORMS: readonly [path: string, button: string, first: string][] = [
  [TABLE, 'New gadget', 'textarea'],
  [TABLE, 'Columns', 'input[type=search]'],
  ['/settings/objects', 'New object', 'input'],
  [`/settings/objects/${OBJECT}`, 'New attribute', 'input[type=radio]:checked'],
  ['/settings/lists', 'New list', 'input'],
  ['/settings/members', 'Invite member', 'input[type=email]'],
  ['/settings/teams', 'New team', 'input'],
  ['/settings/sign-in', 'Add domain', 'input'],
  ['/settings/apps', 'New app', 'input'],
  ['/settings/keys', 'New key', 'input'],
  ['/settings/connected-accounts', 'Add account', 'input[type=radio]:checked'],
  ['/settings/email-templates', 'New template', 'input'],
  ['/webhooks', 'New webhook', 'input[type=url]'],
]

for (const [path, button, first] of FORMS) {
  test(`the dialog "${button}" of ${path} opens at its first field, and closes with Escape`, async ({ page }) => {
    await page.goto(path)
    const opener = page.getByRole('button', { name: button, exact: true }).first()
    await opener.press('Enter')
    await expect(page.getByRole('dialog').locator(first).first()).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(opener).toBeFocused()
  })
}

const DISCARD = { name: 'Discard changes?' }

/** The ways to close a dialog without its buttons. */
const WAYS_OUT: readonly [name: string, leave: (page: Page) => Promise<void>][] = [
  ['Escape', (page) => page.keyboard.press('Escape')],
  ['the button in its corner', (page) => page.getByRole('button', { name: 'Close' }).press('Enter')],
  ['a press beside it', (page) => page.mouse.click(4, 4)],
]

for (const [name, leave] of WAYS_OUT) {
  test(`a changed draft is discarded by ${name} only after a question`, async ({ page }) => {
    await page.goto('/settings/keys')
    await page.getByRole('button', { name: 'New key' }).first().press('Enter')
    await page.keyboard.type('Ada')
    await leave(page)
    const question = page.getByRole('dialog', DISCARD)
    await expect(question.getByRole('button', { name: 'Keep editing' })).toBeFocused()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await expect(question).toHaveCount(0)
    await expect(page.getByLabel('Name')).toBeFocused()
    await page.keyboard.press('End')
    await page.keyboard.type(' L')
    await expect(page.getByLabel('Name')).toHaveValue('Ada L')
    await leave(page)
    await question.getByRole('button', { name: 'Discard' }).press('Enter')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
}

test('repeated Escape loses no draft', async ({ page }) => {
  await page.goto('/settings/objects')
  await page.getByRole('button', { name: 'New object' }).press('Enter')
  await page.keyboard.type('Ada')
  for (const isAsked of [true, false, true, false]) {
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog', DISCARD)).toHaveCount(isAsked ? 1 : 0)
  }
  await page.keyboard.type('s')
  await expect(page.getByRole('dialog').getByRole('textbox').first()).toHaveValue('Adas')
})

test('a draft that was changed back is closed without a question', async ({ page }) => {
  await page.goto(TABLE)
  await page.getByRole('button', { name: 'New gadget' }).press('Enter')
  await page.keyboard.type('A')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a picked option or a ticked box is a change of the draft, too', async ({ page }) => {
  await page.goto(TABLE)
  await page.getByRole('button', { name: 'New gadget' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New gadget' })
  await dialog.getByRole('button', { name: /Show all/ }).press('Enter')
  await dialog.getByRole('combobox', { name: 'Metals' }).focus()
  await expect(page.getByRole('option').first()).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('listbox', { name: 'Metals' })).toBeHidden()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', DISCARD)).toBeVisible()
  await page.getByRole('button', { name: 'Discard' }).press('Enter')

  await page.goto('/webhooks')
  await page.getByRole('button', { name: 'New webhook' }).first().press('Enter')
  await page.getByRole('checkbox', { name: 'record.created', exact: true }).press('Space')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', DISCARD)).toBeVisible()
})

test('a question before a deletion has the focus on the button that cancels', async ({ page }) => {
  await page.goto(TABLE)
  await grid(page).getByRole('link', { name: 'Furnace' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Furnace' })).toBeVisible()
  await page.getByRole('button', { name: 'More actions' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete “Furnace”?' })
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Furnace' })).toBeVisible()
})

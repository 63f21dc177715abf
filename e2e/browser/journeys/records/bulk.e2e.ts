/** Everything that matches a filter is selected, changed, listed, exported and deleted; two records are merged. */

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

const WORD = Math.random().toString(36).slice(2, 8)
const OBJECT = `parts_${WORD}`
const NOUN = `Part ${WORD}`
const MANY = `${NOUN}s`.toLowerCase()
const LIST = `shelf_${WORD}`
/** The number of records by lot. Each journey that changes records has a lot of its own; each name begins with its lot. */
const LOTS = { still: 420, values: 210, listed: 201, few: 3, undone: 4, merged: 3, deleted: 210, reverted: 3 } as const
type Lot = keyof typeof LOTS
const LOADED = 200

const grid = (page: Page) => page.getByRole('grid', { name: MANY })
const rowOf = (page: Page, name: string) => grid(page).getByRole('row').filter({ hasText: name })
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected rows' })
const button = (page: Page, name: string | RegExp) => bar(page).getByRole('button', { name })
const numbers = (number: number) => number.toLocaleString('en')

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  const { create } = await consoleOf(context.request)
  await create('/objects', { api_slug: OBJECT, singular_noun: NOUN, plural_noun: `${NOUN}s` })
  for (const data of [
    attribute('Name', 'name', 'text'),
    attribute('Lot', 'lot', 'text'),
    attribute('Colours', 'colours', 'select', { is_multiselect: true }),
  ])
    await create(`/objects/${OBJECT}/attributes`, data)
  for (const title of ['Red', 'Blue']) await create(`/objects/${OBJECT}/attributes/colours/options`, { title })
  await create('/lists', {
    name: `Shelf ${WORD}`,
    api_slug: LIST,
    parent_object: OBJECT,
    workspace_access: 'full-access',
    workspace_member_access: [],
  })
  for (const [lot, count] of Object.entries(LOTS)) {
    const operations = Array.from({ length: count }, (_, at) => ({
      op: 'create',
      values: { name: nameOf(lot, at + 1), lot },
    }))
    await create(`/objects/${OBJECT}/records/batch`, { operations })
  }
  await context.close()
})

const nameOf = (lot: string, number: number) => `${lot} ${String(number).padStart(3, '0')}`
const check = (page: Page, lot: Lot, number: number) =>
  rowOf(page, nameOf(lot, number)).getByRole('gridcell').first().click()

/** Opens the table of a lot, and waits for its rows and their number. */
async function open(page: Page, lot: Lot) {
  await page.goto(`/objects/${OBJECT}?sort=name&filter=${encodeURIComponent(JSON.stringify({ lot }))}`)
  await expect(rowOf(page, nameOf(lot, 1))).toBeVisible()
  await expect(page.getByText(numbers(LOTS[lot]), { exact: true })).toBeVisible()
}

async function countOf(page: Page, filter: object): Promise<number> {
  const { v2 } = await consoleOf(page.request)
  const { body } = await v2('POST', `/objects/${OBJECT}/records/query`, { filter, limit: 1, include_count: true })
  return body.pagination.total
}

async function selectEverything(page: Page, lot: Lot) {
  const count = numbers(LOTS[lot])
  await grid(page).getByRole('checkbox').click()
  await expect(bar(page).getByText(`${LOADED} selected`)).toBeVisible()
  await button(page, `Select all ${count} matching`).click()
  await expect(bar(page).getByText(`${count} selected`)).toBeVisible()
}

const valueDialog = (page: Page) => page.getByRole('dialog', { name: 'Set a value' })

test('Ctrl+End and the scroll bar reach the last row of the table', async ({ page }) => {
  await open(page, 'still')
  await grid(page).focus()
  await page.keyboard.press('Control+End')
  await expect(rowOf(page, nameOf('still', 420))).toBeVisible()
  await page.keyboard.press('Control+Home')
  await expect(rowOf(page, nameOf('still', 1))).toBeVisible()
  await grid(page).evaluate((element) => (element.scrollTop = element.scrollHeight / 2))
  await expect(rowOf(page, nameOf('still', 215))).toBeVisible()
})

test('a value is set for everything that matches, and Clear ends the selection', async ({ page }) => {
  await open(page, 'values')
  await selectEverything(page, 'values')
  await expectAccessible(page)
  await button(page, 'Set value').click()
  const dialog = valueDialog(page)
  await dialog.getByLabel('Attribute').selectOption('Colours')
  await dialog.getByRole('combobox', { name: 'Value' }).fill('Red')
  await page.getByRole('option', { name: 'Red' }).click()
  await expectAccessible(page)
  await expect(dialog.getByRole('button', { name: `Update 210 ${MANY}` })).toBeEnabled()
  await page.keyboard.press('Enter') // submits the form
  await expect(page.getByText(`210 ${MANY} updated`)).toBeVisible({ timeout: 150_000 })
  expect(await countOf(page, { colours: 'Red' })).toBe(210)
  await expect(rowOf(page, nameOf('values', 1)).getByText('Red')).toBeVisible()
  await button(page, 'Clear').click()
  await expect(bar(page)).toHaveCount(0)
})

test('a value is set for the selected rows only', async ({ page }) => {
  await open(page, 'few')
  await check(page, 'few', 2)
  await button(page, 'Set value').click()
  const dialog = valueDialog(page)
  await dialog.getByLabel('Attribute').selectOption('Lot')
  await dialog.getByRole('textbox', { name: 'Value' }).fill('other')
  await dialog.getByRole('button', { name: /^Update 1 / }).click()
  await expect(page.getByText(`1 ${NOUN.toLowerCase()} updated`)).toBeVisible()
  expect(await countOf(page, { lot: 'other' })).toBe(1)
})

test('an update of the selected rows is undone, except of those that were changed since', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  await open(page, 'reverted')
  for (const at of [1, 2, 3]) await check(page, 'reverted', at)
  await button(page, 'Set value').click()
  const dialog = valueDialog(page)
  await dialog.getByLabel('Attribute').selectOption('Colours')
  await dialog.getByRole('combobox', { name: 'Value' }).fill('Red')
  await page.getByRole('option', { name: 'Red' }).click()
  await expect(dialog.getByRole('button', { name: `Update 3 ${MANY}` })).toBeEnabled()
  await page.keyboard.press('Enter') // submits the form
  await expect(page.getByText(`3 ${MANY} updated`)).toBeVisible()
  const filter = { lot: 'reverted', name: nameOf('reverted', 2) }
  const [changed] = (await v2('POST', `/objects/${OBJECT}/records/query`, { filter })).body.data
  const path = `/objects/${OBJECT}/records/${changed.id.record_id}`
  expect((await v2('PUT', path, { data: { values: { colours: ['Blue'] } } })).status).toBe(200)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(page.getByText(new RegExp(`^2 ${MANY} put back. 1 .* changed since then and stays$`))).toBeVisible()
  expect(await countOf(page, { lot: 'reverted', colours: 'Red' })).toBe(0)
  expect(await countOf(page, { lot: 'reverted', colours: 'Blue' })).toBe(1)
})

test('a refused value is explained in the dialog', async ({ page }) => {
  await open(page, 'still')
  await selectEverything(page, 'still')
  const message = 'Not this value.'
  await page.route('**/records/bulk', (route) =>
    route.fulfill({
      status: 400,
      json: { status_code: 400, type: 'invalid_request_error', code: 'validation_type', message },
    }),
  )
  await button(page, 'Set value').click()
  const dialog = valueDialog(page)
  await dialog.getByLabel('Attribute').selectOption('Lot')
  const value = dialog.getByRole('textbox', { name: 'Value' })
  await value.fill('x')
  await dialog.getByRole('button', { name: /^Update/ }).click()
  await expect(value).toHaveAttribute('aria-invalid', 'true')
})

test('everything that matches is added to a list, once', async ({ page }) => {
  await open(page, 'listed')
  for (let round = 0; round < 2; round++) {
    await selectEverything(page, 'listed')
    await button(page, 'Add to list').click()
    await page.getByRole('menuitem', { name: `Shelf ${WORD}` }).click()
    await expect(page.getByText(`201 ${MANY} in Shelf ${WORD}`).first()).toBeVisible({ timeout: 150_000 })
    await button(page, 'Clear').click()
  }
  const { v2 } = await consoleOf(page.request)
  const { body } = await v2('POST', `/lists/${LIST}/entries/query`, { limit: 1, include_count: true })
  expect(body.pagination.total).toBe(201)
})

test('everything that matches is exported, and so are selected rows', async ({ page }) => {
  // Without this function the browser downloads the file and opens no dialog.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  await open(page, 'still')
  const exported = async (form = 'For people') => {
    await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Export' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: form }).click()
    return (await readFile(await (await downloading).path(), 'utf8')).trim().split(/\r?\n/)
  }
  await selectEverything(page, 'still')
  expect(await exported()).toHaveLength(421)
  await button(page, 'Clear').click()
  await check(page, 'still', 3)
  await check(page, 'still', 2)
  const names = (await exported()).slice(1).map((line) => line.split(',')[0])
  expect(names).toEqual([nameOf('still', 3), nameOf('still', 2)])
  const importable = await exported('For import')
  expect([importable[0]?.split(',')[0], importable.length]).toEqual(['record_id', 3])
})

test('a row is taken out of a selection of everything', async ({ page }) => {
  await open(page, 'still')
  await selectEverything(page, 'still')
  await check(page, 'still', 2)
  await expect(bar(page).getByText(`${LOADED - 1} selected`)).toBeVisible()
})

test('the deletion of selected records is undone', async ({ page }) => {
  await open(page, 'undone')
  const deleteTwo = async () => {
    await check(page, 'undone', 1)
    await check(page, 'undone', 2)
    await button(page, 'Delete').click()
    await page.getByRole('button', { name: 'Delete 2' }).click()
    await expect(rowOf(page, nameOf('undone', 1))).toHaveCount(0)
    await expect(page.getByText(`2 ${MANY} deleted`).last()).toBeVisible()
  }
  await deleteTwo()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(rowOf(page, nameOf('undone', 1))).toBeVisible()
  await expect.poll(() => countOf(page, { lot: 'undone' })).toBe(4)
  await expect(rowOf(page, nameOf('undone', 2))).toBeVisible()
  await deleteTwo()
  await page.reload()
  await expect.poll(() => countOf(page, { lot: 'undone' })).toBe(2)
})

test('the deletion of selected entries is undone, or takes place when the page is left', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const { body } = await v2('POST', `/objects/${OBJECT}/records/query`, { filter: { lot: 'still' }, limit: 3 })
  const list = `pile_${WORD}`
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await v2('POST', '/lists', { data: { name: `Pile ${WORD}`, api_slug: list, parent_object: OBJECT, ...access } })
  for (const { id } of body.data) {
    const entry = { parent_object: OBJECT, parent_record_id: id.record_id, entry_values: {} }
    await v2('POST', `/lists/${list}/entries`, { data: entry })
  }
  const left = async () => (await v2('POST', `/lists/${list}/entries/query`, {})).body.data.length
  await page.goto(`/lists/${list}`)
  const rows = page.getByRole('grid').getByRole('row')
  await expect(rows).toHaveCount(4)
  const deleteOne = async () => {
    await rows.nth(1).getByRole('gridcell').first().click()
    await button(page, 'Delete').click()
    await page.getByRole('button', { name: 'Delete 1' }).click()
    await expect(rows).toHaveCount(3)
  }
  await deleteOne()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(rows).toHaveCount(4)
  expect(await left()).toBe(3)
  await deleteOne()
  await page.reload()
  await expect.poll(left).toBe(2)
})

test('two selected records are merged', async ({ page }) => {
  await open(page, 'merged')
  await check(page, 'merged', 1)
  await expect(button(page, 'Merge')).toHaveCount(0)
  await check(page, 'merged', 2)
  await button(page, 'Merge').click()
  const dialog = page.getByRole('dialog', { name: `Merge 2 ${MANY}` })
  await dialog.getByLabel('Keep the values of').selectOption(nameOf('merged', 2))
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Merge' }).click()
  const [kept, other] = [nameOf('merged', 2), nameOf('merged', 1)]
  await expect(page.getByText(`“${other}” merged into “${kept}”`)).toBeVisible()
  await expect(rowOf(page, other)).toHaveCount(0)
  await expect(rowOf(page, kept)).toBeVisible()
  expect(await countOf(page, { lot: 'merged' })).toBe(2)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Merge undone')).toBeVisible()
  await expect(rowOf(page, other)).toBeVisible()
  await expect(rowOf(page, kept)).toBeVisible()
  expect(await countOf(page, { lot: 'merged' })).toBe(3)
})

test('a deletion of everything that matches shows its progress and is cancelled', async ({ page }) => {
  await open(page, 'still')
  // The page sees the job as running until it is cancelled, however fast it is. The job itself matches nothing.
  let isCancelled = false
  await page.route('**/v2/jobs/**', async (route) => {
    if (route.request().method() === 'POST') isCancelled = true
    const response = await route.fetch()
    const { data } = await response.json()
    const state = isCancelled
      ? { status: 'cancelled', ended_at: data.created_at }
      : { status: 'running', ended_at: null }
    await route.fulfill({ response, json: { data: { ...data, ...state } } })
  })
  await page.route('**/records/bulk', async (route) => {
    const { data } = route.request().postDataJSON()
    await route.continue({ postData: { data: { ...data, filter: { lot: 'none' } } } })
  })
  await selectEverything(page, 'still')
  await page.keyboard.press('Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 420' }).click()
  await expect(bar(page).getByText(/^Deleting · /)).toBeVisible()
  await expect(bar(page).getByRole('progressbar')).toBeVisible()
  await expectAccessible(page)
  await button(page, 'Cancel').click()
  await expect(page.getByText(/^Cancelled: /)).toBeVisible()
})

test('a job that runs is shown after a reload', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const delay = { filter: { lot: 'none' }, operation: { op: 'delete' } }
  const { status, body } = await v2('POST', `/objects/${OBJECT}/records/bulk`, { data: delay })
  expect(status).toBe(202)
  // The page sees the job as running until it may end. The job itself matches nothing.
  let isRunning = true
  const running = { status: 'running', ended_at: null, total: 40, done: 10 }
  const shown = (job: { id: { job_id: string } }) =>
    isRunning && job.id.job_id === body.data.id.job_id ? { ...job, ...running } : job
  await page.route(/\/v2\/jobs(\/|$)/, async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = await response.json()
    await route.fulfill({ response, json: { ...rest, data: Array.isArray(data) ? data.map(shown) : shown(data) } })
  })
  await open(page, 'still')
  await expect(bar(page).getByText('Deleting · 10 of 40')).toBeVisible()
  await page.reload()
  await expect(bar(page).getByText('Deleting · 10 of 40')).toBeVisible()
  isRunning = false
  await expect(bar(page)).toHaveCount(0)
})

test('everything that matches is deleted', async ({ page }) => {
  await open(page, 'deleted')
  await selectEverything(page, 'deleted')
  await button(page, 'Delete').click()
  const dialog = page.getByRole('dialog', { name: `Delete 210 ${MANY}?` })
  await expect(dialog.getByText('restore them from the trash')).toBeVisible()
  await dialog.getByRole('button', { name: 'Delete 210' }).click()
  await expect(page.getByText(`210 ${MANY} deleted`)).toBeVisible({ timeout: 150_000 })
  await expect(page.getByText('No records match this filter')).toBeVisible()
  expect(await countOf(page, { lot: 'deleted' })).toBe(0)
  expect(await countOf(page, { lot: 'still' })).toBe(420)
})

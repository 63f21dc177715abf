/** Dashboards: charts are added, moved, filtered, downloaded and removed; they follow changes and hide what a member may not see. */

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { joinAs } from '../../support/second-member'

const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
const DAY = 86_400_000
const dayBefore = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10)

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  const { create } = await consoleOf(context.request)
  await create('/objects', { api_slug: 'orders', singular_noun: 'Order', plural_noun: 'Orders' })
  for (const [title, api_slug, type] of [
    ['Name', 'name', 'text'],
    ['Amount', 'amount', 'number'],
    ['Ordered', 'ordered', 'date'],
    ['Step', 'step', 'status'],
    ['Seller', 'seller', 'actor-reference'],
  ])
    await create('/objects/orders/attributes', { title, api_slug, type, ...plain })
  for (const title of ['Quoted', 'Agreed', 'Delivered'])
    await create('/objects/orders/attributes/step/statuses', { title, target_time_in_status: 'P2W' })
  for (const [name, amount, ordered, step, seller] of [
    ['Lens', 1200, dayBefore(1), 'Quoted', 'ada@example.com'],
    ['Mirror', 800, dayBefore(1), 'Agreed', 'ada@example.com'],
    ['Prism', 300, dayBefore(800), 'Delivered', undefined],
  ] as const)
    await create('/objects/orders/records', { values: { name, amount, ordered, step, ...(seller && { seller }) } })
  await context.close()
})

const card = (page: Page, title: string) => page.getByRole('article', { name: title })
const choose = (page: Page, label: string, option: string) =>
  page.getByRole('dialog').getByLabel(label, { exact: true }).selectOption(option)

async function newDashboard(page: Page, title: string): Promise<void> {
  await page.goto('/dashboards')
  await page.getByRole('button', { name: 'New dashboard' }).click()
  await page.getByLabel('Title').fill(title)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
}

async function add(page: Page, fill: () => Promise<unknown>): Promise<void> {
  await page.getByRole('button', { name: 'Add chart' }).first().click()
  await choose(page, 'Data', 'Orders')
  await fill()
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

const menu = async (page: Page, title: string, item: string) => {
  await card(page, title)
    .getByRole('button', { name: `Actions for ${title}` })
    .click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('a dashboard is emailed on a schedule, which is paused and removed', async ({ page }) => {
  await newDashboard(page, 'Weekly')
  await page.goto(`${page.url()}?period=last_week`)
  await page.getByRole('button', { name: 'Actions for Weekly' }).click()
  await page.getByRole('menuitem', { name: 'Emails…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Emails of Weekly' })
  await expect(dialog.getByText('This service has no mail server')).toBeVisible()
  await expect(dialog.getByText('No emails yet')).toBeVisible()
  await choose(page, 'On', 'Friday')
  await choose(page, 'At', '5:00 PM')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add email' }).click()
  const row = dialog.getByRole('listitem').filter({ hasText: 'Ada Lovelace' })
  await expect(row).toContainText('Every Friday at 5:00 PM · Last week · next')
  const act = async (item: string) => {
    await row.getByRole('button', { name: 'Actions for Ada Lovelace' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await act('Pause')
  await expect(row).toContainText('Paused')
  await act('Resume')
  await expect(row).not.toContainText('Paused')
  await act('Remove')
  await expect(row).toHaveCount(0)
})

test('charts are added, shown as tables, edited, moved, downloaded and removed', async ({ page }) => {
  await newDashboard(page, 'Sales')
  await add(page, async () => {
    await choose(page, 'Measure', 'Sum')
    await choose(page, 'Of', 'Amount')
    await choose(page, 'Group by', 'Step')
    await choose(page, 'Split by', 'Seller')
    await expectAccessible(page)
  })
  const bars = card(page, 'Sum of amount by step')
  await expect(bars.getByRole('img', { name: /^Bar chart of Ada Lovelace, None by Step, 3 values/ })).toBeVisible()
  await menu(page, 'Sum of amount by step', 'Show as table')
  await expect(bars.getByRole('row', { name: /^Quoted 1,200 0/ })).toBeVisible()
  await menu(page, 'Sum of amount by step', 'Show as chart')

  await add(page, () => choose(page, 'Show as', 'Funnel').then(() => choose(page, 'Status attribute', 'Step')))
  await expect(card(page, 'Funnel of Orders').locator('text').filter({ hasText: '1 · 100%' }).first()).toBeVisible()
  await add(page, () => choose(page, 'Show as', 'Time in status').then(() => choose(page, 'Status attribute', 'Step')))
  await expect(card(page, 'Time in step').getByText('Average time; the dashed line is the target')).toBeVisible()
  await add(page, async () => {
    await choose(page, 'Show as', 'Single figure')
    await page.getByRole('dialog').getByRole('button', { name: 'Add measure' }).click()
    await choose(page, 'Second measure', 'Average')
    await choose(page, 'Of', 'Amount')
    await page.getByRole('dialog').getByLabel('Title').fill('Totals')
  })
  await expect(card(page, 'Totals')).toContainText('Number of orders')
  await expect(card(page, 'Totals')).toContainText('766.67')
  await expectAccessible(page)

  await menu(page, 'Totals', 'Edit…')
  await page.getByRole('dialog').getByRole('button', { name: 'Add condition' }).click()
  await page.keyboard.type('Name')
  await page.keyboard.press('Enter')
  await page.getByLabel('Filter value').fill('Lens')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(card(page, 'Totals')).toContainText('1,200')

  const placeOf = async (title: string) => (await card(page, title).boundingBox()) ?? { x: 0, y: 0, width: 0 }
  const before = await placeOf('Sum of amount by step')
  const handle = page.getByRole('button', { name: 'Move Sum of amount by step' })
  await handle.press('ArrowDown')
  await expect(page.getByText('Sum of amount by step: column 1, row 6')).toBeAttached()
  await expect(handle).toBeFocused()
  // A reload would end the request of the second change, which waits for that of the first.
  const saved = page.waitForResponse((response) => response.request().postData()?.includes('"width":5') === true)
  await page.getByRole('button', { name: 'Resize Sum of amount by step' }).press('ArrowLeft')
  await expect.poll(async () => (await placeOf('Sum of amount by step')).width).toBeLessThan(before.width)
  await saved
  await page.reload()
  await expect(bars).toBeVisible()
  const after = await placeOf('Sum of amount by step')
  expect([after.y > before.y, after.width < before.width]).toEqual([true, true])
  const grip = await handle.boundingBox()
  await page.mouse.move((grip?.x ?? 0) + 5, (grip?.y ?? 0) + 5)
  await page.mouse.down()
  await page.mouse.move((grip?.x ?? 0) + 5, before.y + 5, { steps: 4 })
  await page.mouse.up()
  await expect.poll(async () => (await placeOf('Sum of amount by step')).y).toBe(before.y)

  const csv = page.waitForEvent('download')
  await menu(page, 'Sum of amount by step', 'Download CSV')
  const file = await (await csv).path()
  expect(await readFile(file, 'utf8')).toContain('Step,Ada Lovelace,None')
  const png = page.waitForEvent('download')
  await menu(page, 'Sum of amount by step', 'Download PNG')
  const picture = await readFile(await (await png).path())
  expect([picture.subarray(1, 4).toString('latin1'), picture.length > 2000]).toEqual(['PNG', true])

  await menu(page, 'Totals', 'Remove')
  await expect(card(page, 'Totals')).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(card(page, 'Totals')).toContainText('1,200')
})

test('the period and the owner filter all charts and stay in the address; charts follow changes', async ({ page }) => {
  const { create } = await consoleOf(page.request)
  const place = { column: 0, row: 0, width: 6, height: 4 }
  const source = { object: 'orders' }
  const figure = {
    title: 'Orders',
    kind: 'figure',
    source,
    place,
    time_attribute: 'ordered',
    owner_attribute: 'seller',
  }
  const broken = { title: 'Broken', kind: 'bars', source: { saved_query_id: crypto.randomUUID() }, place: { ...place, column: 6 } } // prettier-ignore
  const { id } = await create('/dashboards', { title: 'Live', charts: [figure, broken] })
  await page.goto(`/dashboards/${id.dashboard_id}`)
  const number = card(page, 'Orders').locator('dd')
  await expect(number).toHaveText('3')
  await expect(card(page, 'Broken').getByText(/was not found|doesn't exist|Couldn't/)).toBeVisible()
  await page.getByLabel('Period').selectOption('Last 30 days')
  await expect(number).toHaveText('2')
  await expect(page).toHaveURL(/period=last_30_days/)
  await page.getByLabel('Owner').selectOption('Me')
  await page.reload()
  await expect(page.getByLabel('Owner')).toHaveValue('me')
  await expect(number).toHaveText('2')
  const values = { name: 'Grating', ordered: dayBefore(1), seller: 'ada@example.com' }
  await create('/objects/orders/records', { values })
  await expect(number).toHaveText('3')
})

test('a personal dashboard is hidden from others, and so are charts of private lists', async ({ page, browser }) => {
  const { create, workspaceId } = await consoleOf(page.request)
  const members = (await (await page.request.get('/console/v2/workspace_members', { headers: { 'X-Workspace': workspaceId } })).json()).data // prettier-ignore
  const place = { column: 0, row: 0, width: 6, height: 4 }
  const workspace_member_access = [{ workspace_member_id: members[0].id.workspace_member_id, level: 'full-access' }]
  const list = await create('/lists', { name: 'Secrets', api_slug: 'secrets', parent_object: 'orders', workspace_access: null, workspace_member_access }) // prettier-ignore
  const charts = [
    { title: 'Shared', kind: 'figure', source: { object: 'orders' }, place },
    { title: 'Private', kind: 'figure', source: { list: list.api_slug }, place: { ...place, column: 6 } },
  ]
  const shared = await create('/dashboards', { title: 'Partly hidden', charts })
  await create('/dashboards', { title: 'Only mine', is_personal: true })
  const { context } = await joinAs(browser, await consoleOf(page.request), { first_name: 'Mileva', last_name: 'M' })
  const hers = await context.newPage()
  await hers.goto('/dashboards')
  await expect(hers.getByRole('link', { name: 'Partly hidden' })).toBeVisible()
  await expect(hers.getByText('Only mine')).toHaveCount(0)
  await hers.goto(`/dashboards/${shared.id.dashboard_id}`)
  await expect(hers.getByText('One chart is hidden')).toBeVisible()
  await expect(card(hers, 'Shared')).toBeVisible()
  await expect(card(hers, 'Private')).toHaveCount(0)
  await context.close()

  await page.goto(`/dashboards/${shared.id.dashboard_id}`)
  await page.getByRole('button', { name: 'Actions for Partly hidden' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete dashboard' }).click()
  await expect(page).toHaveURL('/dashboards')
  await expect(page.getByText('Partly hidden', { exact: true })).toHaveCount(0)
})

test('charts are not saved over the change of another member', async ({ page }) => {
  const { v2, create } = await consoleOf(page.request)
  const figure = (title: string, row: number) =>
    ({ title, kind: 'figure', source: { object: 'orders' }, place: { column: 0, row, width: 4, height: 4 } }) // prettier-ignore
  const { id } = await create('/dashboards', { title: 'Shared', charts: [figure('Mine', 0), figure('Other', 4)] })
  const path = `/dashboards/${id.dashboard_id}`
  await page.goto(path)
  await expect(card(page, 'Mine')).toContainText('Number of orders')
  await v2('PATCH', path, { data: { charts: [figure('Theirs', 0)] } })
  await menu(page, 'Mine', 'Remove')
  await expect(
    page.getByText("Someone else changed this dashboard. It shows the new version now. Your change wasn't saved."),
  ).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(1)
  await expect(card(page, 'Theirs')).toContainText('Number of orders')

  // A dialog keeps what was entered, and a second press saves it beside the change.
  await menu(page, 'Theirs', 'Edit…')
  await page.getByRole('dialog').getByLabel('Title').fill('Renamed')
  await v2('PATCH', path, { data: { charts: [figure('Newest', 0)] } })
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog')).toContainText('Save again to add your change to it.')
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(card(page, 'Renamed')).toContainText('Number of orders')
  await expect(card(page, 'Newest')).toContainText('Number of orders')
})

test('a narrow screen shows one column', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  const { create } = await consoleOf(page.request)
  const source = { object: 'orders' }
  const charts = [0, 6].map((column) => ({
    title: `Chart ${column}`,
    kind: 'bars',
    source,
    group_by: 'step',
    place: { column, row: 0, width: 6, height: 4 },
  }))
  const { id } = await create('/dashboards', { title: 'Narrow', charts })
  await page.goto(`/dashboards/${id.dashboard_id}`)
  await expect(card(page, 'Chart 6').getByRole('img')).toBeVisible()
  const [first, second] = [await card(page, 'Chart 0').boundingBox(), await card(page, 'Chart 6').boundingBox()]
  expect((second?.y ?? 0) > (first?.y ?? 0) + 100).toBe(true)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await expectAccessible(page)
})

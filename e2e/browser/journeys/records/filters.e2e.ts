/** The filter builder: searched attributes, several values, groups, paths, chips, and the JSON that it equals. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { ADMIN, adminContext, consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

const RUN = Math.random().toString(36).slice(2, 8)
const SHIPS = `ships_${RUN}`
const PORTS = `ports_${RUN}`

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  const { create } = await consoleOf(context.request)
  await create('/objects', {
    api_slug: PORTS,
    singular_noun: `Port ${RUN}`,
    plural_noun: `Ports ${RUN}`,
  })
  await create('/objects', {
    api_slug: SHIPS,
    singular_noun: `Ship ${RUN}`,
    plural_noun: `Ships ${RUN}`,
  })
  for (const slug of [PORTS, SHIPS]) await create(`/objects/${slug}/attributes`, attribute('Name', 'name', 'text'))
  await create(`/objects/${PORTS}/attributes`, attribute('Sea', 'sea', 'text'))
  await create(`/objects/${SHIPS}/attributes`, attribute('Rig', 'rig', 'select'))
  await create(`/objects/${SHIPS}/attributes`, attribute('Tons', 'tons', 'number'))
  await create(`/objects/${SHIPS}/attributes`, attribute('Launched', 'launched', 'date'))
  await create(`/objects/${SHIPS}/attributes`, attribute('Captain', 'captain', 'actor-reference'))
  const config = { record_reference: { allowed_objects: [PORTS] } }
  await create(`/objects/${SHIPS}/attributes`, attribute('Home port', 'home_port', 'record-reference', { config }))
  for (const title of ['Barque', 'Brig', 'Cutter']) {
    await create(`/objects/${SHIPS}/attributes/rig/options`, { title })
  }
  const port = async (name: string, sea: string) =>
    (await create(`/objects/${PORTS}/records`, { values: { name, sea } })).id.record_id
  const [kiel, genoa] = [await port('Kiel', 'Baltic'), await port('Genoa', 'Ligurian')]
  const threeDaysAgo = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)
  const ships = [
    { name: 'Albatross', rig: 'Barque', tons: 900, home_port: kiel, launched: threeDaysAgo },
    { name: 'Bittern', rig: 'Brig', tons: 200, home_port: genoa, launched: '2000-01-01' },
    { name: 'Curlew', rig: 'Cutter', tons: 40, home_port: kiel, captain: ADMIN.email },
    { name: 'Dunlin', tons: 10 },
  ]
  for (const values of ships) await create(`/objects/${SHIPS}/records`, { values })
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid')
const condition = (page: Page, at: number) => page.getByRole('group', { name: 'Condition', exact: true }).nth(at)
const filterOf = (page: Page): unknown => JSON.parse(new URL(page.url()).searchParams.get('filter') ?? 'null')

async function expectShips(page: Page, names: readonly string[]) {
  await expect(grid(page).getByRole('row')).toHaveCount(names.length + 1)
  for (const name of names) await expect(grid(page)).toContainText(name)
}

/** Adds a condition on an attribute by keyboard. Each text selects one entry of the list. */
async function add(page: Page, ...path: readonly string[]) {
  await page.getByRole('button', { name: 'Add condition' }).last().press('Enter')
  for (const text of path) {
    await expect(page.getByRole('combobox', { name: 'Search attributes' })).toBeFocused()
    await page.keyboard.type(text)
    await expect(page.getByRole('listbox', { name: 'Attributes' }).getByRole('option').first()).toContainText(text)
    await page.keyboard.press('Enter')
  }
}

test('several options, an empty relation and a path are built by keyboard', async ({ page }) => {
  await page.goto(`/objects/${SHIPS}?sort=name`)
  await expectShips(page, ['Albatross', 'Bittern', 'Curlew', 'Dunlin'])
  await page.keyboard.press('f')
  await add(page, 'Rig')
  await condition(page, 0).getByLabel('Comparison').selectOption('is any of')
  await condition(page, 0).getByRole('combobox', { name: 'Filter value' }).focus()
  for (const [typed, title] of [
    ['bar', 'Barque'],
    ['bri', 'Brig'],
  ] as const) {
    await page.keyboard.type(typed)
    await expect(page.getByRole('option', { name: title })).toBeVisible()
    await page.keyboard.press('Enter')
  }
  await expectShips(page, ['Albatross', 'Bittern'])
  expect(filterOf(page)).toEqual({ rig: { $in: ['Barque', 'Brig'] } })

  await add(page, 'Home port →', 'Sea')
  await expect(page.getByRole('button', { name: 'Attribute: Home port → Sea' })).toBeVisible()
  await expect(condition(page, 1).getByLabel('Filter value')).toBeFocused()
  await page.keyboard.type('balt')
  await expectShips(page, ['Albatross'])
  await expectAccessible(page)

  await page.keyboard.press('Escape')
  const chips = page.getByRole('group', { name: 'Applied filter' })
  await expect(chips).toContainText('Rig is any of Barque, Brig')
  await expect(chips).toContainText('Home port → Sea contains balt')
  await expectAccessible(page)
  await chips.getByRole('button', { name: 'Remove “Rig is any of Barque, Brig”' }).click()
  await expectShips(page, ['Albatross', 'Curlew'])
  await chips.getByRole('button', { name: 'Home port → Sea contains balt', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Attribute: Home port → Sea' })).toBeFocused()

  await page.getByRole('button', { name: 'Clear filter' }).click()
  await add(page, 'Home port')
  await condition(page, 0).getByLabel('Comparison').selectOption('is empty')
  await expectShips(page, ['Dunlin'])
  expect(filterOf(page)).toEqual({ $not: { home_port: { $not_empty: true } } })
})

test('a typed condition applies although the data model changes meanwhile', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  await page.clock.install()
  const filter = encodeURIComponent(JSON.stringify({ name: { $contains: 'rn' } }))
  await page.goto(`/objects/${SHIPS}?sort=name&filter=${filter}`)
  await expectShips(page, ['Bittern'])
  // A condition applies after a pause, which does not end before the clock runs again.
  await page.clock.pauseAt(Date.now() + 1000)
  await condition(page, 0).getByLabel('Filter value').fill('alb')
  const name = `Fleet ${RUN}`
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await v2('POST', '/lists', { data: { name, api_slug: `fleet_${RUN}`, parent_object: SHIPS, ...access } })
  await expect(page.getByRole('navigation', { name: 'Workspace' }).getByText(name)).toBeVisible()
  await page.clock.resume()
  await expectShips(page, ['Albatross'])
})

test('dates are compared with today, and actors with the person who looks', async ({ page }) => {
  await page.goto(`/objects/${SHIPS}?sort=name`)
  await page.getByRole('button', { name: 'Filter' }).click()
  await add(page, 'Launched')
  await condition(page, 0).getByLabel('Comparison').selectOption('is relative to today')
  const period = condition(page, 0).getByLabel('Period')
  await period.selectOption('More than … ago')
  await expectShips(page, ['Bittern'])
  await period.selectOption('In the last …')
  await expectShips(page, ['Albatross'])
  await condition(page, 0).getByLabel('Number').fill('2')
  await expect(grid(page)).toHaveCount(0)
  await condition(page, 0).getByLabel('Unit').selectOption('weeks')
  await expectShips(page, ['Albatross'])
  expect(filterOf(page)).toEqual({ launched: { $relative: 'last_2_weeks' } })
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  const chips = page.getByRole('group', { name: 'Applied filter' })
  await chips.getByRole('button', { name: 'Launched is in the last 2 weeks', exact: true }).click()
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await add(page, 'Captain')
  await condition(page, 0).getByLabel('Filter value').selectOption('Me')
  await expectShips(page, ['Curlew'])
  expect(filterOf(page)).toEqual({ captain: { $relative: 'me' } })
  await page.keyboard.press('Escape')
  await expect(chips).toContainText('Captain is me')
})

test('records are compared with several others', async ({ page }) => {
  await page.goto(`/objects/${SHIPS}?sort=name`)
  await page.getByRole('button', { name: 'Filter' }).click()
  await add(page, 'Home port')
  await condition(page, 0).getByLabel('Comparison').selectOption('is any of')
  const operand = condition(page, 0).getByRole('combobox', { name: 'Filter value' })
  for (const name of ['Kiel', 'Genoa']) {
    await operand.fill(name)
    await page.getByRole('option', { name }).click()
  }
  await expectShips(page, ['Albatross', 'Bittern', 'Curlew'])
  await page.reload()
  await expect(condition(page, 0)).toContainText('Kiel')
  await expect(condition(page, 0)).toContainText('Genoa')
})

test('groups are nested, and equal the JSON that they show', async ({ page }) => {
  await page.goto(`/objects/${SHIPS}?sort=name`)
  await page.getByRole('button', { name: 'Filter' }).click()
  await add(page, 'Tons')
  await condition(page, 0).getByLabel('Comparison').selectOption('is less than')
  await condition(page, 0).getByLabel('Filter value').fill('500')
  await page.getByRole('button', { name: 'Add group' }).click()
  await page.keyboard.type('Rig')
  await page.keyboard.press('Enter')
  await condition(page, 1).getByRole('combobox', { name: 'Filter value' }).fill('Brig')
  await page.getByRole('option', { name: 'Brig' }).click()
  const group = page.getByRole('group', { name: 'Group of conditions' })
  await group.getByRole('button', { name: 'Add condition' }).click()
  await page.keyboard.type('Name')
  await page.keyboard.press('Enter')
  await page.keyboard.type('dun')
  await expectShips(page, ['Bittern', 'Dunlin'])

  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  const json = page.getByLabel('Filter as JSON')
  expect(JSON.parse(await json.inputValue())).toEqual(filterOf(page))
  const nested = {
    $and: [{ tons: { $lt: 500 } }, { $or: [{ rig: 'Cutter' }, { name: { $starts_with: 'bit' } }] }],
  }
  await json.fill(JSON.stringify(nested))
  await page.getByRole('button', { name: 'Apply' }).click()
  await expectShips(page, ['Bittern', 'Curlew'])
  await page.getByRole('button', { name: 'Use builder' }).click()
  await expect(condition(page, 1)).toContainText('Cutter')

  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  await json.fill('{"tons": {"$gt": 20, "$lt": 300}}')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByText("The builder can't show this filter. Edit it as JSON.")).toBeVisible()
  await expectShips(page, ['Bittern', 'Curlew'])
})

/** The attributes of parent records as columns of a list, and in its filter. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

/** A list of visits at three mills, whose power has a color. */
async function seedMills(page: Page) {
  const { v2, create } = await consoleOf(page.request)
  const id = crypto.randomUUID().slice(0, 8)
  const [object, list] = [`mills${id}`, `visits_${id}`]
  await create('/objects', { api_slug: object, singular_noun: `Mill ${id}`, plural_noun: `Mills ${id}` })
  await create(`/objects/${object}/attributes`, attribute('Name', 'name', 'text'))
  await create(`/objects/${object}/attributes`, attribute('Looms', 'looms', 'number'))
  await create(`/objects/${object}/attributes`, attribute('Power', 'power', 'status'))
  await create(`/objects/${object}/attributes/power/statuses`, { title: 'Water', color: 'blue' })
  await create(`/objects/${object}/attributes/power/statuses`, { title: 'Steam', color: 'orange' })
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await create('/lists', { name: `Visits ${id}`, api_slug: list, parent_object: object, ...access })
  await create(`/lists/${list}/attributes`, attribute('Note', 'note', 'text'))
  const records: Record<string, string> = {}
  for (const [name, looms, power] of [
    ['Arkwright', 20, 'Water'],
    ['Boulton', 300, 'Steam'],
    ['Cromford', 4, 'Water'],
  ] as const) {
    const record = await create(`/objects/${object}/records`, { values: { name, looms, power } })
    records[name] = record.id.record_id
    const parent = { parent_object: object, parent_record_id: record.id.record_id }
    await create(`/lists/${list}/entries`, { ...parent, entry_values: { note: `At ${name}` } })
  }
  return { v2, id, object, list, records }
}

test("a list shows and sorts by its records' attributes, and saves them in a view", async ({ page }) => {
  const { v2, id, object, list, records } = await seedMills(page)
  await page.goto(`/lists/${list}`)
  const grid = page.getByRole('grid')
  await expect(grid.getByText('Cromford', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: `Mill ${id} › Looms` }).check()
  await page.keyboard.press('Escape')
  const reads: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith(`/objects/${object}/records/query`)) reads.push(request.postData() ?? '')
  })
  const firstPages: unknown[] = []
  page.on('request', (request) => {
    const body = request.url().endsWith(`/lists/${list}/entries/query`) ? request.postDataJSON() : {}
    if (body.cursor === null) firstPages.push(body.fields)
  })
  await page.reload()
  const row = (index: number) => grid.getByRole('row').nth(index)
  await expect(grid.getByText('300')).toBeVisible()
  // One request reads the values of all parents of a page.
  const readAtOnce = reads
    .filter((body) => body.includes('"looms"'))
    .map((body) => body.match(/[0-9a-f-]{36}/g)?.length)
  expect(new Set(readAtOnce)).toEqual(new Set([3]))
  expect(firstPages).toHaveLength(1)

  await grid
    .getByRole('columnheader', { name: `Mill ${id} › Looms` })
    .getByRole('button')
    .first()
    .click()
  await expect(row(1)).toContainText('Cromford')
  await expect(row(3)).toContainText('Boulton')

  await page.getByRole('button', { name: 'All entries' }).click()
  await page.getByRole('menu', { name: 'Views' }).getByText('Save as new view').click()
  await page.getByRole('textbox', { name: 'Title' }).fill('By looms')
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page).toHaveURL(/\?view=[^&]+$/)
  await page.reload()
  await expect(row(1)).toContainText('Cromford')
  await expect(row(3)).toContainText('300')

  await v2('PATCH', `/objects/${object}/records/${records.Boulton}`, { data: { values: { looms: 301 } } })
  await expect(row(3)).toContainText('301')

  // Another list, so that the console reads the data model again while it collects the changes of records.
  for (const looms of [302, 303, 304]) {
    const list = { api_slug: `${object}_${looms}`, name: `Mills ${looms}`, parent_object: object }
    await Promise.all([
      v2('PATCH', `/objects/${object}/records/${records.Boulton}`, { data: { values: { looms } } }),
      v2('POST', '/lists', { data: { ...list, workspace_access: 'full-access', workspace_member_access: [] } }),
    ])
    await expect(row(3)).toContainText(String(looms))
  }
})

test("a list is filtered by its records' attributes, and saves the filter in a view", async ({ page }) => {
  const { id, object, list } = await seedMills(page)
  await page.goto(`/lists/${list}?columns=parent_record,note,parent_record.${object}.looms`)
  const grid = page.getByRole('grid')
  const condition = (at: number) => page.getByRole('group', { name: 'Condition', exact: true }).nth(at)
  const filter = (): unknown => JSON.parse(new URL(page.url()).searchParams.get('filter') ?? 'null')
  const path = (slug: string) => [
    [list, 'parent_record'],
    [object, slug],
  ]
  await expect(grid.getByText('Cromford', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Add condition' }).press('Enter')
  const attributes = page.getByRole('listbox', { name: 'Attributes' })
  await expect(attributes.getByRole('group', { name: 'In this table' })).toContainText(`Mill ${id} → Looms`)
  await page.keyboard.type('Power')
  await expect(attributes.getByRole('option')).toHaveText(['Power'])
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: `Attribute: Mill ${id} → Power` })).toBeVisible()
  await condition(0).getByRole('combobox', { name: 'Filter value' }).fill('wat')
  await page.keyboard.press('Enter')
  await expect(grid.getByRole('row')).toHaveCount(3)
  expect(filter()).toEqual({ path: path('power'), constraints: { $eq: 'Water' } })

  // The menu of a column adds a condition on the attribute of the records.
  const header = grid.getByRole('columnheader', { name: `Mill ${id} › Looms` })
  await header.getByRole('button').first().press('ArrowDown')
  await page.getByRole('menuitem', { name: 'Filter by this column' }).press('Enter')
  await condition(1).getByLabel('Comparison').selectOption('is less than')
  await condition(1).getByLabel('Filter value').fill('10')
  await expect(grid.getByRole('row')).toHaveCount(2)
  const both = [
    { path: path('power'), constraints: { $eq: 'Water' } },
    { path: path('looms'), constraints: { $lt: 10 } },
  ]
  expect(filter()).toEqual({ $and: both })
  await expectAccessible(page)

  await page.getByRole('button', { name: 'All entries' }).click()
  await page.getByRole('menu', { name: 'Views' }).getByText('Save as new view').click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Small and wet')
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page).toHaveURL(/\?view=[^&]+$/)
  await page.reload()
  // A view names attributes by their ids; the builder shows them alike.
  await expect(page.getByRole('button', { name: `Attribute: Mill ${id} → Power` })).toBeVisible()
  await expect(condition(1).getByLabel('Filter value')).toHaveValue('10')
  await expect(grid.getByRole('row')).toHaveCount(2)
  await page.getByRole('button', { name: 'Filter applied' }).click()
  const chips = page.getByRole('group', { name: 'Applied filter' })
  await expect(chips).toContainText(`Mill ${id} → Power is Water`)
  await expect(chips).toContainText(`Mill ${id} → Looms is less than 10`)
  await expectAccessible(page)
})

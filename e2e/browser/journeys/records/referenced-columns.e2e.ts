/** The attributes of referenced records as columns of a table. */

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

/** Weavers, who work at two mills. */
async function seedWeavers(page: Page) {
  const { v2, create } = await consoleOf(page.request)
  const id = randomBytes(4).toString('hex')
  const [mills, weavers] = [`mills${id}`, `weavers${id}`]
  await create('/objects', { api_slug: mills, singular_noun: `Mill ${id}`, plural_noun: `Mills ${id}` })
  await create('/objects', { api_slug: weavers, singular_noun: `Weaver ${id}`, plural_noun: `Weavers ${id}` })
  for (const object of [mills, weavers])
    await create(`/objects/${object}/attributes`, attribute('Name', 'name', 'text'))
  await create(`/objects/${mills}/attributes`, attribute('Looms', 'looms', 'number'))
  await create(`/objects/${mills}/attributes`, attribute('Power', 'power', 'select'))
  await create(`/objects/${mills}/attributes/power/options`, { title: 'Steam', color: 'orange' })
  const config = { record_reference: { allowed_objects: [mills] } }
  await create(`/objects/${weavers}/attributes`, attribute('Mill', 'mill', 'record-reference', { config }))
  const recordOf = async (object: string, values: object): Promise<string> =>
    (await create(`/objects/${object}/records`, { values })).id.record_id
  const boulton = await recordOf(mills, { name: 'Boulton', looms: 300, power: 'Steam' })
  const cromford = await recordOf(mills, { name: 'Cromford', looms: 4 })
  const at = (mill: string) => ({ mill: { target_object: mills, target_record_id: mill } })
  await recordOf(weavers, { name: 'Ann', ...at(boulton) })
  await recordOf(weavers, { name: 'Bea', ...at(cromford) })
  await recordOf(weavers, { name: 'Cat' })
  return { v2, mills, weavers, boulton }
}

test('a column of the referenced record is chosen, sorted, filtered, saved in a view, and leads to the record', async ({
  page,
}) => {
  const { v2, mills, weavers, boulton } = await seedWeavers(page)
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  await page.goto(`/objects/${weavers}?columns=name,mill`)
  const grid = page.getByRole('grid')
  const row = (index: number) => grid.getByRole('row').nth(index)
  const heading = (title: string) =>
    grid.getByRole('columnheader').filter({ has: page.getByRole('button', { name: title, exact: true }) })
  await expect(grid.getByText('Ann')).toBeVisible()

  await heading('Mill').getByRole('button').first().press('ArrowDown')
  await page.getByRole('menuitem', { name: 'Insert column of Mill…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Insert a column of Mill' })
  await expect(dialog.getByRole('button', { name: 'Mill › Name' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.type('loo')
  await page.keyboard.press('Enter')
  await expect(grid.getByRole('columnheader')).toHaveText(['', 'Name', 'Mill', 'Mill › Looms'])
  await expect(grid.getByText('300')).toBeVisible()

  const reads: unknown[] = []
  page.on('request', (request) => {
    if (!request.url().endsWith(`/objects/${mills}/records/query`)) return
    const { fields = [], filter } = request.postDataJSON()
    if (fields.includes('looms')) reads.push([fields, filter.record_id.$in.length])
  })
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByText('Attributes of Mill').click()
  await page.getByRole('checkbox', { name: 'Mill › Power' }).check()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(grid.getByText('Steam')).toBeVisible()
  // One request reads the values of all records of an object on a page.
  expect(reads).toEqual([[['looms', 'power'], 2]])

  await heading('Mill › Looms').getByRole('button').first().click()
  await expect(row(1)).toContainText('Bea')
  await heading('Mill › Looms').getByRole('button').first().press('ArrowDown')
  await page.getByRole('menuitem', { name: 'Filter by this column' }).press('Enter')
  await expect(page.getByRole('button', { name: 'Attribute: Mill → Looms' })).toBeVisible()
  await page.getByLabel('Comparison').selectOption('is greater than')
  await page.getByLabel('Filter value').fill('1')
  await expect(grid.getByRole('row')).toHaveCount(3)

  await page.getByRole('button', { name: /^All weavers/ }).click()
  await page.getByRole('menu', { name: 'Views' }).getByText('Save as new view').click()
  await page.getByRole('textbox', { name: 'Title' }).fill('By looms')
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page).toHaveURL(/\?view=[^&]+$/)
  await page.reload()
  await expect(row(1)).toContainText('Bea')
  await expect(grid.getByRole('row')).toHaveCount(3)
  await expect(heading('Mill › Looms')).toHaveAttribute('aria-sort', 'ascending')

  const exported = async (form: string) => {
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: form }).click()
    return (await readFile(await (await downloading).path(), 'utf8')).trim().split(/\r?\n/)
  }
  const shown = ['Name,Mill,Mill › Looms,Mill › Power', 'Bea,Cromford,4,', 'Ann,Boulton,300,Steam']
  expect(await exported('For people')).toEqual(shown)
  expect((await exported('For import'))[0]).toBe('record_id,name,mill')

  // Changes of the record appear, and those of the reference.
  await v2('PATCH', `/objects/${mills}/records/${boulton}`, { data: { values: { looms: 301 } } })
  await expect(row(2)).toContainText('301')
  const cell = (at: number, column: number) => row(at).getByRole('gridcell').nth(column)
  await cell(1, 2).click({ position: { x: 150, y: 10 } })
  await page.keyboard.type('Boul')
  await page.getByRole('option', { name: 'Boulton' }).click()
  await expect(row(1)).toContainText('301')
  await page.keyboard.press('Control+z')
  await expect(row(1)).not.toContainText('301')
  await expect(cell(1, 3)).toHaveText('4')

  await cell(2, 3).click({ position: { x: 20, y: 10 } })
  await page.keyboard.press('5')
  await expect(page.getByRole('textbox', { name: 'Mill › Looms' })).toBeHidden()
  await row(2).getByRole('link', { name: 'Open the record with Mill › Looms' }).click()
  await expect(page).toHaveURL(new RegExp(`/objects/${mills}/${boulton}$`))
  await page.goBack()
  await expect(row(2)).toContainText('301')
  await cell(2, 3).click({ position: { x: 20, y: 10 } })
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/objects/${mills}/${boulton}$`))
})

test('a column of the referenced record is totalled and grouped, follows the record, and is saved in a view', async ({
  page,
}) => {
  const { v2, mills, weavers, boulton } = await seedWeavers(page)
  const columns = `name,mill,mill.${mills}.looms,mill.${mills}.power`
  await page.goto(`/objects/${weavers}?columns=${columns}&sort=name`)
  const total = (name: string | RegExp) => page.getByRole('toolbar', { name: 'Totals' }).getByRole('button', { name })
  await total('Calculate a total of Mill › Looms').press('Enter')
  await page.getByRole('menuitemradio', { name: 'Sum' }).press('Enter')
  await expect(total('Sum of Mill › Looms: 304')).toBeVisible()

  await page.getByRole('button', { name: 'Group' }).press('Enter')
  await page.getByRole('menuitemradio', { name: 'Mill › Power' }).press('Enter')
  const group = (name: string | RegExp) => page.getByRole('button', { name })
  await expect(group(/^Steam 1 Sum of Mill › Looms 300$/)).toBeVisible()
  await expect(group(/^No value 2 Sum of Mill › Looms 4$/)).toBeVisible()
  await group(/^No value/).click()
  await expect(page.getByRole('grid').getByText('Bea')).toBeVisible()
  await expect(page.getByRole('grid').getByText('Cat')).toBeVisible()
  await expect(page.getByRole('grid').getByText('Ann')).toHaveCount(0)
  await expectAccessible(page)

  await v2('PATCH', `/objects/${mills}/records/${boulton}`, { data: { values: { looms: 310 } } })
  await expect(group(/^Steam 1 Sum of Mill › Looms 310$/)).toBeVisible()

  await page.getByRole('button', { name: /^All weavers/ }).click()
  await page.getByRole('menu', { name: 'Views' }).getByText('Save as new view').click()
  await page.getByRole('textbox', { name: 'Title' }).fill('By power')
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page).toHaveURL(/\?view=[^&]+$/)
  await page.reload()
  await expect(page.getByText('Grouped by Mill › Power')).toBeVisible()
  await expect(group(/^Steam 1/)).toBeVisible()
})

/** The attributes of parent records as columns of a list. */

import { consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

test("a list shows and sorts by its records' attributes, and saves them in a view", async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const id = crypto.randomUUID().slice(0, 8)
  const [object, list] = [`mills${id}`, `visits_${id}`]
  const create = async (path: string, data: unknown) => {
    const { status, body } = await v2('POST', path, { data })
    if (status !== 200) throw new Error(body.message)
    return body.data
  }
  await create('/objects', { api_slug: object, singular_noun: `Mill ${id}`, plural_noun: `Mills ${id}` })
  await create(`/objects/${object}/attributes`, attribute('Name', 'name', 'text'))
  await create(`/objects/${object}/attributes`, attribute('Looms', 'looms', 'number'))
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await create('/lists', { name: `Visits ${id}`, api_slug: list, parent_object: object, ...access })
  await create(`/lists/${list}/attributes`, attribute('Note', 'note', 'text'))
  const records: Record<string, string> = {}
  for (const [name, looms] of [
    ['Arkwright', 20],
    ['Boulton', 300],
    ['Cromford', 4],
  ] as const) {
    const record = await create(`/objects/${object}/records`, { values: { name, looms } })
    records[name] = record.id.record_id
    const parent = { parent_object: object, parent_record_id: record.id.record_id }
    await create(`/lists/${list}/entries`, { ...parent, entry_values: { note: `At ${name}` } })
  }

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
})

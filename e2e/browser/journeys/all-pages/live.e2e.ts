/** Screens follow the changes of other people. */

import type { Page, Request } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, type Console, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }

/** An object with a name and a note; returns functions that write its records. */
async function seed({ v2 }: Console, slug: string) {
  await v2('POST', '/objects', { data: { api_slug: slug, singular_noun: `${slug} probe`, plural_noun: slug } })
  for (const [title, type] of [
    ['Name', 'text'],
    ['Note', 'text'],
  ]) {
    await v2('POST', `/objects/${slug}/attributes`, {
      data: { title, api_slug: title?.toLowerCase(), type, ...plain },
    })
  }
  const records = `/objects/${slug}/records`
  const create = async (name: string, note = '') =>
    (await v2('POST', records, { data: { values: { name, note } } })).body.data.id.record_id as string
  const change = (id: string, values: object) => v2('PATCH', `${records}/${id}`, { data: { values } })
  const remove = (id: string) => v2('DELETE', `${records}/${id}`)
  return { create, change, remove }
}

const rowOf = (page: Page, name: string) => page.getByRole('grid').getByRole('row').filter({ hasText: name })

test('a table shows records that others change, create and delete, and keeps its visible rows in place', async ({
  page,
}) => {
  const own = await consoleOf(page.request)
  const { create, change, remove } = await seed(own, 'seen')
  const ids: string[] = []
  for (let index = 0; index < 60; index++) ids.push(await create(`Old ${String(index).padStart(2, '0')}`))
  const [first = '', second = ''] = ids
  await page.goto('/objects/seen?sort=name')
  await expect(rowOf(page, 'Old 00')).toBeVisible()
  await change(second, { note: 'changed elsewhere' })
  await expect(rowOf(page, 'Old 01')).toContainText('changed elsewhere')

  const created = await create('New here')
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  await expect(rowOf(page, 'New here')).toHaveCount(0)
  await expectAccessible(page)
  await create('And another')
  await page.getByRole('button', { name: '2 new' }).focus()
  await page.keyboard.press('Enter')
  await expect(rowOf(page, 'New here')).toBeVisible()
  await expect(rowOf(page, 'And another')).toBeVisible()
  await expect(page.getByRole('button', { name: /\d new$/ })).toHaveCount(0)
  await expect(page.getByRole('grid')).toBeFocused()
  await remove(created)
  await expect(rowOf(page, 'New here')).toHaveCount(0)

  // Deleted rows above the visible ones move neither these nor the active row.
  const grid = page.getByRole('grid')
  await grid.focus()
  await page.keyboard.press('Control+End')
  await expect(rowOf(page, 'Old 59')).toBeVisible()
  for (let up = 0; up < 30; up++) await page.keyboard.press('ArrowUp')
  await expect(rowOf(page, 'Old 29')).toBeVisible()
  const yOf = async (name: string) => Math.round((await rowOf(page, name).boundingBox())?.y ?? 0)
  const activeRow = () =>
    grid.evaluate((element) => {
      const cell = document.getElementById(element.getAttribute('aria-activedescendant') ?? '')
      return cell?.closest('[role=row]')?.textContent?.trim()
    })
  const before = await yOf('Old 35')
  expect(await activeRow()).toBe('Old 29')
  await remove(first)
  await remove(second)
  await expect(page.getByText('59', { exact: true })).toBeVisible()
  await expect.poll(() => yOf('Old 35')).toBe(before)
  expect(await activeRow()).toBe('Old 29')

  // New records that do not match the filter are not shown.
  const filter = encodeURIComponent('{"name":{"$starts_with":"Wanted"}}')
  await page.goto(`/objects/seen?filter=${filter}`)
  await expect(page.getByText('Clear filter').first()).toBeVisible()
  await create('Unwanted')
  await create('Wanted one')
  await expect(rowOf(page, 'Wanted one')).toBeVisible()
  await expect(rowOf(page, 'Unwanted')).toHaveCount(0)
})

test('a record page shows changed values, and that the record was deleted', async ({ page }) => {
  const own = await consoleOf(page.request)
  const { create, change, remove } = await seed(own, 'watched')
  const id = await create('Before')
  await page.goto(`/objects/watched/${id}`)
  await expect(page.getByRole('heading', { name: 'Before' })).toBeVisible()
  await change(id, { name: 'After' })
  await expect(page.getByRole('heading', { name: 'After' })).toBeVisible()

  // The edit began with another value, so it is refused and nothing is overwritten.
  await page.getByRole('button', { name: 'Edit Name' }).focus()
  await page.keyboard.press('Enter')
  const editor = page.getByRole('textbox', { name: 'Name' })
  await editor.fill('Mine')
  await change(id, { name: 'Theirs' })
  await expect(page.getByRole('heading', { name: 'Theirs' })).toBeVisible()
  await editor.press('Enter')
  await expect(page.getByText('Someone else changed this to “Theirs”.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Theirs' })).toBeVisible()

  await editor.press('Escape')
  await remove(id)
  await expect(page.getByRole('heading', { name: 'Deleted watched probe' })).toBeVisible()
})

test('a board shows cards that others move, add, rename and delete', async ({ page }) => {
  const own = await consoleOf(page.request)
  const { create, change } = await seed(own, 'boarded')
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await own.v2('POST', '/lists', {
    data: { name: 'Boarded', api_slug: 'boarded', parent_object: 'boarded', ...access },
  })
  await own.v2('POST', '/lists/boarded/attributes', {
    data: { title: 'Step', api_slug: 'step', type: 'status', ...plain },
  })
  for (const title of ['Asked', 'Agreed']) {
    await own.v2('POST', '/lists/boarded/attributes/step/statuses', { data: { title } })
  }
  const enter = async (record: string) => {
    const data = { parent_object: 'boarded', parent_record_id: record, entry_values: { step: 'Asked' } }
    return (await own.v2('POST', '/lists/boarded/entries', { data })).body.data.id.entry_id as string
  }
  const record = await create('First card')
  const entry = await enter(record)
  await page.goto('/lists/boarded?board=step')
  const column = (title: string) => page.getByRole('region', { name: title, exact: true })
  await expect(column('Asked').getByText('First card')).toBeVisible()
  await own.v2('PATCH', `/lists/boarded/entries/${entry}`, { data: { entry_values: { step: 'Agreed' } } })
  await expect(column('Agreed').getByText('First card')).toBeVisible()
  await expect(column('Asked').getByText('First card')).toHaveCount(0)
  await enter(await create('Second card'))
  await expect(column('Asked').getByText('Second card')).toBeVisible()
  await change(record, { name: 'Renamed card' })
  await expect(column('Agreed').getByText('Renamed card')).toBeVisible()
  await own.v2('DELETE', `/lists/boarded/entries/${entry}`)
  await expect(column('Agreed').getByRole('listitem')).toHaveCount(0)
})

test('all screens of a tab share one connection, and changes during a lost connection are caught up', async ({
  page,
  context,
}) => {
  const own = await consoleOf(page.request)
  const { create, change } = await seed(own, 'caught')
  const id = await create('Online', 'one')
  const streams: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/events/stream')) streams.push(request.url())
  })
  await page.goto('/objects/caught')
  await expect(rowOf(page, 'Online')).toContainText('one')
  await page.getByRole('link', { name: 'Online' }).click()
  await expect(page.getByRole('heading', { name: 'Online' })).toBeVisible()
  await change(id, { name: 'Still online' })
  await expect(page.getByRole('heading', { name: 'Still online' })).toBeVisible()
  await page.goBack()
  await expect(rowOf(page, 'Still online')).toContainText('one')
  expect(streams).toHaveLength(1)

  await context.setOffline(true)
  await change(id, { note: 'two' })
  await context.setOffline(false)
  await change(id, { note: 'three' })
  await expect(rowOf(page, 'Still online')).toContainText('three')
})

test('a board column that is reading a page is also read again', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const list = { name: 'Queued', api_slug: 'queued', parent_object: 'companies' }
  await v2('POST', '/lists', { data: { ...list, workspace_access: 'full-access', workspace_member_access: [] } })
  await v2('POST', '/lists/queued/attributes', { data: attribute('Step', 'step', 'status') })
  await v2('POST', '/lists/queued/attributes/step/statuses', { data: { title: 'First' } })
  const company = await v2('POST', '/objects/companies/records', { data: { values: { name: 'Queue Works' } } })
  const entry = {
    parent_object: 'companies',
    parent_record_id: company.body.data.id.record_id,
    entry_values: { step: 'First' },
  }
  const ids: string[] = []
  for (let count = 0; count < 33; count++) {
    ids.push((await v2('POST', '/lists/queued/entries', { data: entry })).body.data.id.entry_id)
  }

  const released = Promise.withResolvers<void>()
  const isFollowingPage = (request: Request) =>
    request.url().endsWith('/lists/queued/entries/query') && typeof request.postDataJSON().cursor === 'string'
  await page.route('**/lists/queued/entries/query', async (route) => {
    if (isFollowingPage(route.request())) await released.promise
    await route.continue()
  })
  await page.goto('/lists/queued?board=step')
  const column = page.getByRole('region', { name: 'First' })
  await expect(column.locator('header')).toHaveText(/33/)
  const pageRequest = page.waitForRequest(isFollowingPage)
  await column.getByRole('button', { name: 'Show more' }).click()
  await pageRequest
  const refresh = page.waitForRequest(/\/queued\/entries\/query/)
  await v2('DELETE', `/lists/queued/entries/${ids.at(-1)}`)
  // The event of the creation may arrive after the first page. Then the card is shown, and disappears without a read.
  await Promise.race([refresh, expect(column.locator('header')).toHaveText(/32/)])
  released.resolve()
  await expect(column.locator('header')).toHaveText(/32/)
})

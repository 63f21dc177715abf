/** The activity of a record: live updates, the filter by kind, and older pages. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { type Console, consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

/** An object with a record, and a list of its records with two statuses. */
async function seed({ v2 }: Console, slug: string) {
  await v2('POST', '/objects', { data: { api_slug: slug, singular_noun: `${slug} item`, plural_noun: slug } })
  for (const data of [attribute('Name', 'name', 'text'), attribute('Weight', 'weight', 'number')]) {
    await v2('POST', `/objects/${slug}/attributes`, { data })
  }
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  const list = { name: `${slug} list`, api_slug: `${slug}_list`, parent_object: slug, ...access }
  await v2('POST', '/lists', { data: list })
  await v2('POST', `/lists/${slug}_list/attributes`, { data: attribute('Step', 'step', 'status') })
  for (const title of ['Asked', 'Agreed']) {
    await v2('POST', `/lists/${slug}_list/attributes/step/statuses`, { data: { title } })
  }
  const { body } = await v2('POST', `/objects/${slug}/records`, { data: { values: { name: 'Sextant', weight: 7 } } })
  const id: string = body.data.id.record_id
  return { id, change: (values: object) => v2('PATCH', `/objects/${slug}/records/${id}`, { data: { values } }) }
}

const items = (page: Page) => page.getByRole('tabpanel', { name: 'Activity' }).getByRole('listitem')

test('a value that is changed in another tab, an added and a moved entry appear at once', async ({ page, context }) => {
  const own = await consoleOf(page.request)
  const { id } = await seed(own, 'timed')
  await page.goto(`/objects/timed/${id}?tab=activity`)
  await expect(items(page)).toHaveText([/Ada Lovelace created this record/])
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible()

  const other = await context.newPage()
  await other.goto(`/objects/timed/${id}`)
  await other.getByRole('button', { name: 'Edit Weight' }).focus()
  await other.keyboard.press('Enter')
  await other.getByRole('textbox', { name: 'Weight' }).fill('8')
  await other.keyboard.press('Enter')
  await expect(items(page).first()).toHaveText(/Ada Lovelace changed Weight/)
  await expect(items(page).first()).toHaveText(/7\s*→\s*8/)
  await other.close()

  const parent = { parent_object: 'timed', parent_record_id: id, entry_values: { step: 'Asked' } }
  const entry = (await own.v2('POST', '/lists/timed_list/entries', { data: parent })).body.data.id.entry_id
  await expect(items(page).first()).toHaveText(/Ada Lovelace added this record to timed list/)
  await own.v2('PATCH', `/lists/timed_list/entries/${entry}`, { data: { entry_values: { step: 'Agreed' } } })
  await expect(items(page).first()).toHaveText(/moved this record in timed list.*Asked\s*→\s*Agreed/s)
  await expect(items(page).first().locator('time')).toHaveAttribute('title', /\d/)
  await expectAccessible(page)

  await page.getByLabel('Show').selectOption({ label: 'Lists' })
  await expect(items(page)).toHaveText([/moved this record/, /added this record/])
  await page.reload()
  await expect(items(page)).toHaveText([/moved this record/, /added this record/])
  await page.getByLabel('Show').selectOption({ label: 'Notes' })
  await expect(page.getByText('No notes yet')).toBeVisible()
  await expectAccessible(page)
})

test('tasks, notes, comments and removed entries appear at once, and texts are shown as they are', async ({ page }) => {
  const own = await consoleOf(page.request)
  const { id } = await seed(own, 'discussed')
  await page.goto(`/objects/discussed/${id}?tab=activity`)
  await expect(items(page)).toHaveCount(1)

  const linked_records = [{ target_object: 'discussed', target_record_id: id }]
  const task = { content: 'Polish the mirror', format: 'plaintext', deadline_at: null, linked_records, assignees: [] }
  const { task_id } = (await own.v2('POST', '/tasks', { data: { ...task, is_completed: false } })).body.data.id
  await expect(items(page).first()).toHaveText(/Ada Lovelace added a task.*Polish the mirror/s)
  await own.v2('PATCH', `/tasks/${task_id}`, { data: { is_completed: true } })
  await expect(items(page).first()).toHaveText(/Ada Lovelace completed a task.*Polish the mirror/s)

  const note = {
    parent_object: 'discussed',
    parent_record_id: id,
    title: 'First call',
    format: 'plaintext',
    content: '',
  }
  await own.v2('POST', '/notes', { data: note })
  await expect(items(page).first()).toHaveText(/Ada Lovelace wrote the note First call/)

  const members = (await own.v2('GET', '/workspace_members')).body.data
  const ada = members.find(({ first_name }: { first_name: string }) => first_name === 'Ada')
  const author = { type: 'workspace-member', id: ada.id.workspace_member_id }
  const comment = { format: 'plaintext', content: '<img src=x onerror=alert(1)>', author }
  await own.v2('POST', '/comments', { data: { ...comment, record: { object: 'discussed', record_id: id } } })
  await expect(items(page).first()).toHaveText(/Ada Lovelace commented.*<img src=x onerror=alert\(1\)>/s)
  await expect(items(page).first().locator('img')).toHaveCount(0)

  const parent = { parent_object: 'discussed', parent_record_id: id, entry_values: {} }
  const entry = (await own.v2('POST', '/lists/discussed_list/entries', { data: parent })).body.data.id.entry_id
  await own.v2('DELETE', `/lists/discussed_list/entries/${entry}`)
  await expect(items(page).first()).toHaveText(/Ada Lovelace removed this record from discussed list/)

  // An item that no longer exists is removed.
  await own.v2('DELETE', `/tasks/${task_id}`)
  await expect(items(page).filter({ hasText: 'Polish the mirror' })).toHaveCount(0)
  await expect(items(page)).toHaveCount(5)
})

test('a merged record shows the merge and the items of both records', async ({ page }) => {
  const own = await consoleOf(page.request)
  const { id: primary, change } = await seed(own, 'merged')
  await change({ weight: 8 })
  const values = { name: 'Quadrant' }
  const secondary: string = (await own.v2('POST', '/objects/merged/records', { data: { values } })).body.data.id
    .record_id
  const noteOn = (parent_record_id: string, title: string) =>
    own.v2('POST', '/notes', {
      data: { parent_object: 'merged', parent_record_id, title, format: 'plaintext', content: '' },
    })
  await noteOn(primary, 'Of the sextant')
  await noteOn(secondary, 'Of the quadrant')
  const parent = { parent_object: 'merged', parent_record_id: secondary, entry_values: {} }
  await own.v2('POST', '/lists/merged_list/entries', { data: parent })

  const pair = { primary_record_id: primary, secondary_record_id: secondary }
  const { body } = await own.v2('POST', '/objects/merged/records/merge', { data: pair })
  await page.goto(`/objects/merged/${body.data.new_record_id}?tab=activity`)
  await expect(items(page)).toHaveText([
    /Ada Lovelace merged two records into this one/,
    /Ada Lovelace added this record to merged list/,
    /Ada Lovelace wrote the note Of the quadrant/,
    /Ada Lovelace wrote the note Of the sextant/,
    /Ada Lovelace changed Weight.*7\s*→\s*8/s,
    /Ada Lovelace created this record/,
  ])
  await items(page).filter({ hasText: 'Of the quadrant' }).getByRole('link', { name: 'Of the quadrant' }).click()
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Of the quadrant')
})

test('older items are loaded page by page, and long texts are cut', async ({ page }) => {
  const { id, change } = await seed(await consoleOf(page.request), 'paged')
  await change({ name: 'First of many words. '.repeat(60) })
  for (let weight = 100; weight < 160; weight++) await change({ weight })
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`/objects/paged/${id}?tab=activity`)
  await expect(items(page)).toHaveCount(50)
  await items(page).last().scrollIntoViewIfNeeded()
  await expect(items(page)).toHaveCount(62)
  await expect(items(page).last()).toHaveText(/created this record/)
  await expect(page.getByRole('button', { name: 'Load older' })).toHaveCount(0)

  const long = items(page).nth(60)
  const height = async () => (await long.boundingBox())?.height ?? 0
  const cut = await height()
  await long.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(height).toBeGreaterThan(cut * 2)
  await long.getByRole('button', { name: 'Show less' }).click()
  await expect.poll(height).toBe(cut)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow).toBe(0)
})

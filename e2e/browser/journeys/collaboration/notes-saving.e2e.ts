/** Saving notes: after a reload, without a connection, and when two tabs write the same note. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

/** A note of a person of its own, and what the service has of it. */
async function seed(page: Page, name: string, content: string) {
  const { v2 } = await consoleOf(page.request)
  const record = await v2('POST', '/objects/people/records', { data: { values: { name } } })
  const parent = { parent_object: 'people', parent_record_id: record.body.data.id.record_id }
  const data = { ...parent, title: `Note of ${name}`, format: 'markdown', content }
  const { note_id } = (await v2('POST', '/notes', { data })).body.data.id
  return {
    address: `/notes/${note_id}`,
    stored: async () => (await v2('GET', `/notes/${note_id}`)).body.data.content_markdown as string,
    change: (change: object) => v2('PATCH', `/notes/${note_id}`, { data: change }),
  }
}

const text = (page: Page) => page.getByRole('textbox', { name: 'Note' })
const WRITES = '**/console/v2/notes/*'

/** Writes of this page fail until the returned function is called; it reads as before. */
async function failWrites(page: Page): Promise<() => Promise<void>> {
  await page.route(WRITES, (route) => (route.request().method() === 'PATCH' ? route.abort() : route.fallback()))
  return () => page.unroute(WRITES)
}

async function typeAtEnd(page: Page, words: string) {
  await text(page).press('Control+End')
  await page.keyboard.type(words)
}

test('what was typed just before a reload is saved', async ({ page }) => {
  const { address, stored } = await seed(page, 'Renata Reload', 'Before')
  await page.goto(address)
  await typeAtEnd(page, ' and after')
  await page.reload()
  await expect(text(page)).toHaveText('Before and after')
  await expect.poll(stored).toBe('Before and after')
})

test('a note that cannot be saved says so, is kept for a reload, and is saved when the service answers', async ({
  page,
}) => {
  const { address, stored } = await seed(page, 'Olga Offline', 'Old')
  await page.goto(address)
  await expect(text(page)).toHaveText('Old')
  const restore = await failWrites(page)
  await typeAtEnd(page, ', new')
  await expect(page.getByText("Couldn't save – retrying")).toBeVisible()
  await expectAccessible(page)
  expect(await stored()).toBe('Old')
  page.on('dialog', (dialog) => dialog.accept())
  await page.reload()
  await expect(text(page)).toHaveText('Old, new')
  await expect(page.getByText("Couldn't save – retrying")).toBeVisible()
  await restore()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  expect(await stored()).toBe('Old, new')
})

test('two tabs that write the same note: neither is overwritten, and the person decides', async ({ page, context }) => {
  const { address, stored } = await seed(page, 'Connie Conflict', 'First line')
  await page.goto(address)
  await expect(text(page)).toHaveText('First line')
  const restore = await failWrites(page)
  await typeAtEnd(page, ' mine')
  await expect(page.getByText("Couldn't save – retrying")).toBeVisible()
  const other = await context.newPage()
  await other.goto(address)
  await typeAtEnd(other, ' theirs')
  await expect.poll(stored).toBe('First line theirs')
  await page.bringToFront()
  await restore()

  const alert = page.getByText('You changed this note elsewhere while you were editing.')
  await expect(alert).toBeVisible()
  expect(await stored()).toBe('First line theirs')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'See other version' }).click()
  const dialog = page.getByRole('dialog', { name: 'Other version' })
  await expect(dialog).toContainText('First line theirs')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(text(page)).toHaveText('First line mine')
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await expect(alert).toHaveCount(0)
  await expect.poll(stored).toBe('First line mine')
  await expect(text(other)).toHaveText('First line mine')
})

test('a conflict ends with the text of the others, and changes of other parts are no conflict', async ({ page }) => {
  const { address, stored, change } = await seed(page, 'Tess Theirs', 'Text')
  await page.goto(address)
  await expect(text(page)).toHaveText('Text')
  const restore = await failWrites(page)
  await typeAtEnd(page, ' mine')
  await expect(page.getByText("Couldn't save – retrying")).toBeVisible()
  await change({ title: 'Their title' })
  await restore()
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Their title')
  await expect.poll(stored).toBe('Text mine')

  const again = await failWrites(page)
  await typeAtEnd(page, ' again')
  await expect(page.getByText("Couldn't save – retrying")).toBeVisible()
  await change({ format: 'markdown', content: '# Theirs' })
  await again()
  await page.getByRole('button', { name: 'See other version' }).click()
  await page.getByRole('button', { name: 'Use this version' }).click()
  await expect(text(page).getByRole('heading', { name: 'Theirs' })).toBeVisible()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  expect(await stored()).toBe('# Theirs')
})

test('notes fit a screen of 390 pixels', async ({ page }) => {
  const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'.repeat(3)
  const { address } = await seed(page, long, `# ${long}\n- ${long}\n  - [${long}](https://relata.dev/${long})`)
  await page.setViewportSize({ width: 390, height: 780 })
  for (const path of [address, '/notes', '/notes?new']) {
    await page.goto(path)
    await expect(page.getByRole('heading').first()).toBeAttached()
    await expect(page.locator('.skeleton')).toHaveCount(0)
    await expectAccessible(page)
    const width = await page.evaluate(() => document.querySelector('main')?.scrollWidth)
    expect(width, path).toBeLessThanOrEqual(390)
  }
})

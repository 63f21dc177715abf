/** Confetti for statuses with `celebration_enabled`. */

import type { Page } from 'playwright/test'
import { consoleOf, type Console, expect, test } from '../../support/journey'

declare global {
  interface Window {
    celebrations: number
  }
}

const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }

/** A list and an object, each with a status attribute whose status "Won" is celebrated; returns the id of a record. */
async function seed({ v2 }: Console, slug: string): Promise<string> {
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await v2('POST', '/objects', { data: { api_slug: slug, singular_noun: `One ${slug}`, plural_noun: `All ${slug}` } })
  await v2('POST', `/objects/${slug}/attributes`, {
    data: { title: 'Name', api_slug: 'name', type: 'text', ...plain },
  })
  await v2('POST', '/lists', { data: { name: slug, api_slug: slug, parent_object: slug, ...access } })
  for (const owner of [`/lists/${slug}`, `/objects/${slug}`]) {
    await v2('POST', `${owner}/attributes`, { data: { title: 'Luck', api_slug: 'luck', type: 'status', ...plain } })
    await v2('POST', `${owner}/attributes/luck/statuses`, { data: { title: 'Trying' } })
    await v2('POST', `${owner}/attributes/luck/statuses`, { data: { title: 'Won', celebration_enabled: true } })
  }
  const made = await v2('POST', `/objects/${slug}/records`, { data: { values: { name: `Lucky ${slug}` } } })
  const record: string = made.body.data.id.record_id
  const data = { parent_object: slug, parent_record_id: record, entry_values: { luck: 'Trying' } }
  await v2('POST', `/lists/${slug}/entries`, { data })
  return record
}

/** Counts the canvases that are added to the page and hidden from screen readers. Each is there for a few seconds only. */
async function watch(page: Page, motion: 'no-preference' | 'reduce' = 'no-preference') {
  await page.emulateMedia({ reducedMotion: motion })
  await page.addInitScript(() => {
    window.celebrations = 0
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node instanceof HTMLCanvasElement && node.ariaHidden === 'true') window.celebrations += 1
    }).observe(document, { childList: true, subtree: true })
  })
}

const celebrations = (page: Page) => page.evaluate(() => window.celebrations)

test('a board and a table celebrate an entry that gets the status, once each', async ({ page }) => {
  await seed(await consoleOf(page.request), 'fest')
  await watch(page)
  await page.goto('/lists/fest?board=luck')
  const card = page.getByRole('listitem').filter({ hasText: 'Lucky fest' })
  await card.focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect.poll(() => celebrations(page)).toBe(1)
  await expect(page.locator('canvas')).toHaveCount(0)
  await card.focus()
  await page.keyboard.press('Shift+ArrowLeft')
  await expect(page.getByRole('region', { name: 'Trying', exact: true }).getByText('Lucky fest')).toBeVisible()

  await page.getByRole('radio', { name: 'Table' }).check()
  const grid = page.getByRole('grid')
  await expect(grid.getByRole('row').filter({ hasText: 'Trying' })).toBeVisible()
  const heading = page.getByRole('columnheader', { name: 'Luck' })
  const column = Number(await heading.getAttribute('aria-colindex')) - 2
  await grid.focus()
  await page.keyboard.press('Home')
  for (let at = 0; at < column; at++) await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.keyboard.type('won')
  await page.keyboard.press('Enter')
  await expect.poll(() => celebrations(page)).toBe(2)
})

test('a record page celebrates, unless the person prefers reduced motion', async ({ page }) => {
  const record = await seed(await consoleOf(page.request), 'calm')
  await watch(page, 'reduce')
  await page.goto(`/objects/calm/${record}`)
  await page.getByRole('button', { name: /^Show \d+ empty$/ }).click()
  const choose = async (title: string) => {
    await page.getByRole('button', { name: 'Edit Luck' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type(title)
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
    await page.keyboard.press('Enter')
    expect((await saved).status()).toBe(200)
  }
  await choose('won')
  expect(await celebrations(page)).toBe(0)
  await choose('trying')
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await choose('won')
  await expect.poll(() => celebrations(page)).toBe(1)
})

/** Statuses, options and attributes are put in order, by mouse and by keyboard. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

/** A new object with the statuses First, Second and Third, and three attributes. */
async function seedObject(page: Page) {
  const { v2, create } = await consoleOf(page.request)
  const noun = `orders${crypto.randomUUID().slice(0, 8)}`
  await create('/objects', { api_slug: noun, singular_noun: `${noun} one`, plural_noun: noun })
  for (const [title, slug, type] of [
    ['Name', 'name', 'text'],
    ['Phase', 'phase', 'status'],
    ['Size', 'size', 'number'],
  ] as const) {
    await create(`/objects/${noun}/attributes`, attribute(title, slug, type))
  }
  for (const title of ['First', 'Second', 'Third']) {
    await create(`/objects/${noun}/attributes/phase/statuses`, { title })
  }
  const titles = async (path: string) =>
    (await v2('GET', `/objects/${noun}/attributes${path}`)).body.data
      .filter((one: { is_system_attribute?: boolean }) => one.is_system_attribute !== true)
      .map(({ title }: { title: string }) => title)
  return { noun, titles }
}

test('statuses are moved by mouse and by keyboard, and the board follows', async ({ page }) => {
  const { noun, titles } = await seedObject(page)
  await page.goto(`/settings/objects/${noun}/phase`)
  const handle = (name: string) => page.getByRole('button', { name: `Move ${name}`, exact: true })
  await handle('Third').dragTo(page.getByRole('listitem').filter({ hasText: 'First' }), {
    targetPosition: { x: 100, y: 4 },
  })
  await expect.poll(() => titles('/phase/statuses')).toEqual(['Third', 'First', 'Second'])

  await handle('Third').focus()
  await page.keyboard.press('ArrowDown')
  await expect(handle('Third')).toBeFocused()
  await expect(page.getByText('Third moved to position 2 of 3.')).toBeAttached()
  await expect.poll(() => titles('/phase/statuses')).toEqual(['First', 'Third', 'Second'])
  await page.keyboard.press('End')
  await expect.poll(() => titles('/phase/statuses')).toEqual(['First', 'Second', 'Third'])
  await page.keyboard.press('Home')
  await expect.poll(() => titles('/phase/statuses')).toEqual(['Third', 'First', 'Second'])
  await expectAccessible(page)

  await page.goto(`/objects/${noun}?board=phase`)
  await expect(page.getByRole('region', { name: 'Second', exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Board by Phase' }).getByRole('heading')).toHaveText([
    'Third',
    'First',
    'Second',
  ])
})

test('attributes are moved among the custom ones', async ({ page }) => {
  const { noun, titles } = await seedObject(page)
  await page.goto(`/settings/objects/${noun}`)
  const handle = page.getByRole('button', { name: 'Move Size', exact: true })
  await handle.focus()
  await page.keyboard.press('Home')
  await expect.poll(() => titles('')).toEqual(['Size', 'Name', 'Phase'])
  await expect(handle).toBeFocused()
  await handle.dragTo(page.getByRole('listitem').filter({ hasText: 'Phase' }), { targetPosition: { x: 200, y: 46 } })
  await expect.poll(() => titles('')).toEqual(['Name', 'Phase', 'Size'])
  await expect(page.getByRole('button', { name: 'Move Record ID' })).toHaveCount(0)
})

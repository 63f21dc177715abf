/** What axe finds on a page: nothing. */

import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from 'playwright/test'

/** Where the themes differ. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Everything in the light theme, colours once more in the dark one. */
export async function expectAccessible(page: Page): Promise<void> {
  await expect(page.locator('.skeleton')).toHaveCount(0)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await expectNothingFound(page, new AxeBuilder({ page }).withTags(TAGS))
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNothingFound(page, new AxeBuilder({ page }).withRules(OF_COLOURS))
}

/** In the page itself: there are no frames, whose results would need a page of their own to come together. */
async function expectNothingFound(page: Page, axe: AxeBuilder): Promise<void> {
  const { violations } = await axe.setLegacyMode().analyze()
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
  expect(found, page.url()).toEqual([])
}

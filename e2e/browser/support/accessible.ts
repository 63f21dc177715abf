/** What axe finds on a page: nothing. */

import axe from 'axe-core'
import { expect, type Page } from 'playwright/test'

declare global {
  interface Window {
    /** There once its source was evaluated. */
    readonly axe: typeof axe
  }
}

/** Where the themes differ. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Everything in the light theme, colours once more in the dark one. */
export async function expectAccessible(page: Page): Promise<void> {
  await expect(page.locator('.skeleton')).toHaveCount(0)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  // Half a megabyte that a page takes once, and keeps until another is loaded.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  await expectNothingFound(page, { type: 'tag', values: TAGS })
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNothingFound(page, { type: 'rule', values: OF_COLOURS })
}

/** In the page itself: there are no frames. */
async function expectNothingFound(page: Page, runOnly: axe.RunOnly): Promise<void> {
  const options: axe.RunOptions = { runOnly, resultTypes: ['violations'] }
  const found = await page.evaluate(async (options) => {
    const { violations } = await window.axe.run(document, options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    )
  }, options)
  expect(found, page.url()).toEqual([])
}

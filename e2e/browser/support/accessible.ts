/** Checks a page with axe. */

import axe from 'axe-core'
import { expect, type Page } from 'playwright/test'

declare global {
  interface Window {
    /** Defined after the source of axe was evaluated. */
    readonly axe: typeof axe
  }
}

/** The rules that depend on the theme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Checks all rules in the light theme, and those about colours also in the dark one. */
export async function expectAccessible(page: Page): Promise<void> {
  await expect(page.locator('.skeleton')).toHaveCount(0)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  // The source has half a megabyte, and is evaluated once per loaded page.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  await expectNothingFound(page, { type: 'tag', values: TAGS })
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNothingFound(page, { type: 'rule', values: OF_COLOURS })
}

/** Checks only the page, because it has no frames. */
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

/** Expects that axe finds no violation on a page. */

import axe from 'axe-core'
import { expect, type Page } from 'playwright/test'

declare global {
  interface Window {
    /** Present after the source of axe was evaluated. */
    readonly axe: typeof axe
  }
}

/** The rules whose results depend on the theme. */
const OF_COLORS = ['color-contrast', 'link-in-text-block']
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Checks all rules in the light theme, and those of colors also in the dark one. */
export async function expectAccessible(page: Page): Promise<void> {
  await expect(page.locator('.skeleton')).toHaveCount(0)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  // The source of axe has half a megabyte, so each page evaluates it once.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  await expectNothingFound(page, { type: 'tag', values: TAGS })
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNothingFound(page, { type: 'rule', values: OF_COLORS })
}

/** Runs in the page, which has no frames. */
async function expectNothingFound(page: Page, runOnly: axe.RunOnly): Promise<void> {
  const options: axe.RunOptions = { runOnly, resultTypes: ['violations'] }
  const found = await page.evaluate(async (options) => {
    // Colors during a transition are not those of the design. An endless animation, such as a spinner's, is not awaited.
    const finite = document
      .getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(finite.map((animation) => animation.finished))
    const { violations } = await window.axe.run(document, options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    )
  }, options)
  expect(found, page.url()).toEqual([])
}

/** Changes between the tables of people and companies, and to a record and back. */

import type { Page } from 'playwright'
import { traceMainThread } from './trace'

export interface PageChange {
  readonly name: string
  /** Milliseconds from the press to the frame that shows the rows, and of the processor time of the main thread. */
  readonly wall: number
  readonly cpu: number
}

const ROUNDS = 10

/** The links of the navigation. The first round is not measured: it loads the code of the page. */
export async function changePages(page: Page): Promise<readonly PageChange[]> {
  const changes: PageChange[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const slug of ['companies', 'people']) {
      const change = await measure(page, slug)
      if (round > 0) changes.push({ name: `to ${slug}`, ...change })
    }
  }
  return changes
}

async function measure(page: Page, slug: string): Promise<{ wall: number; cpu: number }> {
  let wall = 0
  const { byKind } = await traceMainThread(page, async () => {
    wall = await page.evaluate(pressAndWait, slug)
  })
  return { wall, cpu: byKind.values().reduce((sum, time) => sum + time, 0) }
}

/** Runs in the page. */
async function pressAndWait(slug: string): Promise<number> {
  const link = document.querySelector<HTMLElement>(`nav a[href="/objects/${slug}"]`)
  const begun = performance.now()
  link?.click()
  const hasRows = () => document.querySelector(`[role=grid] a[href^="/objects/${slug}/"]`) !== null
  while (!hasRows()) await new Promise((resolve) => requestAnimationFrame(resolve))
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  return performance.now() - begun
}

/** Scrolls the table of people by a number of rows in each frame. */

import type { Page } from 'playwright'
import { profile } from './profile'
import { type MainThread, traceMainThread } from './trace'

const COLUMNS =
  'name,email_addresses,company,job_title,lead_status,lead_value,phone_numbers,primary_location,description,linkedin'
const ROW_PIXELS = 36

export interface ScrollOptions {
  readonly frames: number
  readonly rowsPerFrame: number
  /** The file of a CPU profile. The profile is taken in a separate scroll, which is not measured. */
  readonly profile?: string | undefined
}

export async function openTable(page: Page): Promise<void> {
  await page.goto(`/objects/people?columns=${COLUMNS}`)
  await page.getByRole('grid').getByRole('row').nth(20).waitFor()
}

/** Scrolls once before it measures, so that the pages are read and the code is compiled. */
export async function scroll(page: Page, { frames, rowsPerFrame, profile: file }: ScrollOptions): Promise<MainThread> {
  const step = rowsPerFrame * ROW_PIXELS
  await scrollBy(page, step, frames)
  await scrollBy(page, -step, frames)
  if (file !== undefined) await profile(page, `${file}-${rowsPerFrame}.cpuprofile`, () => scrollBy(page, step, frames))
  if (file !== undefined) await scrollBy(page, -step, frames)
  const measured = await traceMainThread(page, () => scrollBy(page, step, frames))
  await scrollBy(page, -step, frames)
  return measured
}

/** Resolves after the frames, and when the rows of the last one are there. */
async function scrollBy(page: Page, step: number, frames: number): Promise<void> {
  await page.getByRole('grid').evaluate(
    async (grid, { step, frames }) => {
      for (let frame = 0; frame < frames; frame += 1) {
        await new Promise(requestAnimationFrame)
        grid.scrollTop += step
      }
      await new Promise(requestAnimationFrame)
    },
    { step, frames },
  )
}

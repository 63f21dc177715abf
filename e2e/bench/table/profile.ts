import { writeFileSync } from 'node:fs'
import type { Page } from 'playwright'

/** Writes a CPU profile, which Chromium's developer tools open. */
export async function profile(page: Page, file: string, work: () => Promise<unknown>): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Profiler.enable')
  await session.send('Profiler.setSamplingInterval', { interval: 200 })
  await session.send('Profiler.start')
  await work()
  const { profile } = await session.send('Profiler.stop')
  writeFileSync(file, JSON.stringify(profile))
  await session.detach()
}

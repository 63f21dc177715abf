/** Finds a browser, getting one if there is none, and runs the journeys with it. Words behind are handed to Playwright. */

import { findChromium } from './support/find-chromium'

const chromium = await findChromium()
if (chromium === undefined) {
  console.error('There is no Chromium, and none could be installed; set CHROMIUM_PATH to where one is.')
  process.exit(1)
}
const words = ['--bun', 'playwright', 'test', '--config', import.meta.dir, ...process.argv.slice(2)]
const child = Bun.spawn([process.execPath, ...words], {
  env: { ...process.env, CHROMIUM_PATH: chromium },
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.exit(await child.exited)

/** Finds or downloads a browser and runs the journeys. Arguments are passed on to Playwright. */

import { findChromium } from './support/find-chromium'

const chromium = await findChromium()
if (chromium === undefined) {
  console.error('Chromium was not found and could not be installed. Set CHROMIUM_PATH to its path.')
  process.exit(1)
}
const command = ['--bun', 'playwright', 'test', '--config', import.meta.dir, ...process.argv.slice(2)]
const child = Bun.spawn([process.execPath, ...command], {
  env: { ...process.env, CHROMIUM_PATH: chromium },
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.exit(await child.exited)

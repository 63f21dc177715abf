/** Finds the browser of the journeys: an installed one, else that of Playwright, else that of the system. */

import { existsSync } from 'node:fs'
import { chromium } from 'playwright'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Undefined when no browser is installed and none can be downloaded. */
export async function findChromium(): Promise<string | undefined> {
  const there = findInstalled()
  if (there !== undefined) return there
  console.log('There is no Chromium; installing one.')
  await run([process.execPath, '--bun', 'playwright', 'install', '--with-deps', 'chromium-headless-shell'])
  if (existsSync(chromium.executablePath())) return chromium.executablePath()
  if (process.getuid?.() === 0 && Bun.which('apt-get')) {
    await run(['apt-get', 'update'])
    await run(['apt-get', 'install', '-y', '--no-install-recommends', 'chromium'])
  }
  return findInstalled()
}

function findInstalled(): string | undefined {
  const named = process.env.CHROMIUM_PATH
  if (named) return named
  const onPath = NAMES.map((name) => Bun.which(name)).find((path) => path !== null)
  const own = chromium.executablePath()
  return onPath ?? (existsSync(own) ? own : undefined)
}

const run = (words: string[]): Promise<number> => Bun.spawn(words, { stdio: ['ignore', 'inherit', 'inherit'] }).exited

/** Finds the browser of the journeys: an installed one, else one that the system or Playwright installs. */

import { existsSync } from 'node:fs'
import { chromium } from 'playwright'
import { installPackages } from '#testing/packages'

/** The first needs the least processor time. See docs/decisions/tests.md (Journeys). */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The packages of Debian; not every release has the first. */
const PACKAGES = ['chromium-headless-shell', 'chromium']

/** Undefined when no browser is installed and none can be downloaded. */
export async function findChromium(): Promise<string | undefined> {
  const installed = findInstalled()
  if (installed !== undefined) return installed
  console.log('There is no Chromium; installing one.')
  await installPackage()
  const ofSystem = findInstalled()
  if (ofSystem !== undefined) return ofSystem
  await run([process.execPath, '--bun', 'playwright', 'install', '--with-deps', 'chromium-headless-shell'])
  return findInstalled()
}

function findInstalled(): string | undefined {
  const named = process.env.CHROMIUM_PATH
  if (named) return named
  const onPath = NAMES.map((name) => Bun.which(name)).find((path) => path !== null)
  const own = chromium.executablePath()
  return onPath ?? (existsSync(own) ? own : undefined)
}

async function installPackage(): Promise<void> {
  for (const name of PACKAGES) if (await installPackages([name])) return
}

const run = (words: string[]): Promise<number> => Bun.spawn(words, { stdio: ['ignore', 'inherit', 'inherit'] }).exited

/** Journeys through the console: a real browser, the real service, a real PostgreSQL. Run by `bun e2e/browser/main.ts`. */

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'playwright/test'

/** As root there is no sandbox to be had; a browser for tests needs nothing from outside. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

const { CHROMIUM_PATH, RELATA_BROWSER_REPORT } = process.env

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.e2e.ts',
  globalSetup: './support/start-service.ts',
  outputDir: join(tmpdir(), `relata-browser-${process.getuid?.() ?? 0}`),
  workers: 2,
  // Of a machine that is busy with other things as well; what works takes a fraction of it.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  reporter: [['dot'], ...(RELATA_BROWSER_REPORT ? [['json', { outputFile: RELATA_BROWSER_REPORT }] as const] : [])],
  use: {
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    launchOptions: { args: FLAGS, ...(CHROMIUM_PATH ? { executablePath: CHROMIUM_PATH } : {}) },
  },
  projects: [
    { name: 'first start', testMatch: 'first-start.e2e.ts' },
    { name: 'journeys', testMatch: 'journeys/*.e2e.ts', dependencies: ['first start'] },
  ],
})

/** Journeys through the console, with a real browser, service and PostgreSQL. `bun e2e/browser/main.ts` runs them. */

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'playwright/test'

/**
 * Chromium has no sandbox for root. Without V8's two slower compilers, journeys take less processor time: see docs/decisions/tests.md. The other
 * flags stop requests to the internet.
 */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--js-flags=--no-turbofan --no-maglev',
]

/** Each wait of a journey fails after this time with what it waited for. */
const WAIT_MS = 60_000

const { CHROMIUM_PATH, RELATA_BROWSER_REPORT } = process.env

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.e2e.ts',
  globalSetup: './support/start-service.ts',
  outputDir: join(tmpdir(), `relata-browser-${process.getuid?.() ?? 0}`),
  workers: 3,
  // The machine may be busy. A passing journey takes a fraction of this.
  timeout: 180_000,
  expect: { timeout: WAIT_MS },
  reporter: [['dot'], ...(RELATA_BROWSER_REPORT ? [['json', { outputFile: RELATA_BROWSER_REPORT }] as const] : [])],
  use: {
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    actionTimeout: WAIT_MS,
    navigationTimeout: WAIT_MS,
    // A new context and its first page take about a second of processor time. See docs/decisions/tests.md.
    reuseContext: true,
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { args: FLAGS, ...(CHROMIUM_PATH ? { executablePath: CHROMIUM_PATH } : {}) },
  },
  projects: [
    { name: 'first start', testMatch: 'first-start.e2e.ts' },
    { name: 'journeys', testMatch: 'journeys/**/*.e2e.ts', dependencies: ['first start'] },
    // The test run builds English alone.
  ],
})

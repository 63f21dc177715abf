/** Runs the journeys of `e2e/browser` and counts their results. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runBun, type Outcome } from './run-bun'
import { afterSecondTry, mayTryAgain } from './second-try'

/**
 * The reports are written to files of this folder. With `CI` set, few failed journeys run once more, on a new service: what a journey
 * has changed before it failed would disturb its second try.
 */
export async function runBrowser(env: Record<string, string | undefined>, folder: string): Promise<Outcome> {
  const first = await runJourneys([], env, join(folder, 'journeys.json'))
  if (!mayTryAgain(first.failed, env)) return first
  console.log('The failed journeys run once more. A journey that passes now is flaky: its cause is to be mended.')
  return afterSecondTry(first, await runJourneys(['--last-failed'], env, join(folder, 'journeys-again.json')))
}

async function runJourneys(
  options: readonly string[],
  env: Record<string, string | undefined>,
  reportFile: string,
): Promise<Outcome> {
  const words = ['e2e/browser/main.ts', ...options]
  console.log(['bun', ...words].join(' '))
  const exitCode = await runBun(words, { ...env, RELATA_BROWSER_REPORT: reportFile })
  return countJourneys(existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : '', exitCode)
}

/** A run without a failed journey can fail, for example without a browser: that counts as one failure. */
export function countJourneys(report: string, exitCode: number): Outcome {
  const { expected = 0, unexpected = 0 } = report === '' ? {} : readStats(report)
  return { passed: expected, failed: unexpected === 0 && exitCode !== 0 ? 1 : unexpected }
}

interface Stats {
  readonly expected?: number
  readonly unexpected?: number
}

function readStats(report: string): Stats {
  const { stats } = JSON.parse(report) as { stats?: Stats } // the reporter's format
  return stats ?? {}
}

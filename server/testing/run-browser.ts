/** Runs the journeys of `e2e/browser` and counts their results. */

import { existsSync, readFileSync } from 'node:fs'
import { runBun, type Outcome } from './run-bun'

export async function runBrowser(env: Record<string, string | undefined>, reportFile: string): Promise<Outcome> {
  console.log('bun e2e/browser/main.ts')
  const exitCode = await runBun(['e2e/browser/main.ts'], { ...env, RELATA_BROWSER_REPORT: reportFile })
  return countJourneys(existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : '', exitCode)
}

/** A run without a failed journey can fail, for example without a browser: that counts as one failure. */
export function countJourneys(report: string, exitCode: number): Outcome {
  const { expected = 0, flaky = 0, unexpected = 0 } = report === '' ? {} : readStats(report)
  return { passed: expected + flaky, failed: unexpected === 0 && exitCode !== 0 ? 1 : unexpected }
}

interface Stats {
  readonly expected?: number
  /** Passed at a second try. There is none unless the configuration says so. */
  readonly flaky?: number
  readonly unexpected?: number
}

function readStats(report: string): Stats {
  const { stats } = JSON.parse(report) as { stats?: Stats } // the reporter's format
  return stats ?? {}
}

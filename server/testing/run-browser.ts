/** Runs the journeys of `e2e/browser` and counts what came of them. */

import { existsSync, readFileSync } from 'node:fs'
import { runBun, type Outcome } from './run-bun'

export async function runBrowser(env: Record<string, string | undefined>, reportFile: string): Promise<Outcome> {
  console.log('bun e2e/browser/main.ts')
  const exitCode = await runBun(['e2e/browser/main.ts'], { ...env, RELATA_BROWSER_REPORT: reportFile })
  return countJourneys(existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : '', exitCode)
}

/** A run can fail without a failed journey, by a browser that is not there: that counts as one. */
export function countJourneys(report: string, exitCode: number): Outcome {
  const { expected = 0, flaky = 0, unexpected = 0 } = report === '' ? {} : readStats(report)
  return { passed: expected + flaky, failed: unexpected === 0 && exitCode !== 0 ? 1 : unexpected }
}

interface Stats {
  readonly expected?: number
  /** Passed at a second try; none is made unless the configuration says so. */
  readonly flaky?: number
  readonly unexpected?: number
}

function readStats(report: string): Stats {
  const { stats } = JSON.parse(report) as { stats?: Stats } // the reporter's format
  return stats ?? {}
}

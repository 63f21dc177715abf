/** Runs all `*.test.ts` files, beside the code and from outside, and counts what came of them. */

import { existsSync, readFileSync } from 'node:fs'
import { runBun, type Outcome } from './run-bun'

/** Only what hangs takes as long, on however busy a machine. */
export const TIMEOUT_MS = 180_000

/** The report is in JUnit's format, the only one for programs that Bun writes. */
export async function runTests(env: Record<string, string | undefined>, reportFile: string): Promise<Outcome> {
  const reporter = ['--reporter=junit', `--reporter-outfile=${reportFile}`]
  const exitCode = await runBun(
    [
      'test',
      './server',
      './db',
      './web/src',
      './e2e',
      '--parallel=2',
      '--only-failures',
      `--timeout=${TIMEOUT_MS}`,
      ...reporter,
    ],
    env,
  )
  return countResults(existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : '', exitCode)
}

/** A run can fail without a failed test, by a file that does not load: that counts as one. */
export function countResults(report: string, exitCode: number): Outcome {
  const [suites = ''] = /<testsuites [^>]*>/.exec(report) ?? []
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suites)?.[1] ?? 0)
  const failed = count('failures')
  const passed = count('tests') - failed - count('skipped')
  return { passed, failed: failed === 0 && exitCode !== 0 ? 1 : failed }
}

/** Runs all `*.test.ts` files of server and e2e, counts the results and prints the slowest tests. */

import { existsSync, readFileSync } from 'node:fs'
import { runBun, type Outcome } from './run-bun'

/** Long enough for a paused machine, or one that is ten times slower than usual, so that only a test that hangs reaches it. */
export const TIMEOUT_MS = 180_000

/** The report has the format of JUnit, the only machine-readable format that Bun writes. */
export async function runTests(env: Record<string, string | undefined>, reportFile: string): Promise<Outcome> {
  const reporter = ['--reporter=junit', `--reporter-outfile=${reportFile}`]
  const exitCode = await runBun(
    [
      'test',
      './server',
      './db',
      './web/src',
      './e2e',
      // One more than the cores of a small machine: a test often waits for PostgreSQL or for another process.
      '--parallel=3',
      // The files of a worker share its modules. To load them anew takes longer than most files.
      '--no-isolate',
      '--only-failures',
      `--timeout=${TIMEOUT_MS}`,
      ...reporter,
    ],
    env,
  )
  const report = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : ''
  console.log(['The slowest tests:', ...slowestTests(report)].join('\n'))
  return countResults(report, exitCode)
}

const SLOWEST = 20

/** Returns a line for each of the slowest tests: seconds, file, name. */
export function slowestTests(report: string): string[] {
  return [...report.matchAll(/<testcase ([^>]*)/g)]
    .map(([, attributes = '']) => ({
      seconds: Number(attributeIn(attributes, 'time')),
      title: `${attributeIn(attributes, 'file')}: ${attributeIn(attributes, 'name')}`,
    }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ seconds, title }) => `${seconds.toFixed(1).padStart(6)} s  ${title}`)
}

const attributeIn = (attributes: string, name: string): string =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''

/** A run without a failed test can fail when a file does not load: that counts as one failure. */
export function countResults(report: string, exitCode: number): Outcome {
  const [suites = ''] = /<testsuites [^>]*>/.exec(report) ?? []
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suites)?.[1] ?? 0)
  const failed = count('failures')
  const passed = count('tests') - failed - count('skipped')
  return { passed, failed: failed === 0 && exitCode !== 0 ? 1 : failed }
}

/** Runs all `*.test.ts` files of server and e2e, counts the results, and prints the slowest tests and the failed ones. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, runBun, type Outcome } from './run-bun'
import { afterSecondTry, mayTryAgain } from './second-try'

/** Long enough for a paused machine, or one that is ten times slower than usual, so that only a test that hangs reaches it. */
export const TIMEOUT_MS = 180_000

const ALL = ['./server', './db', './web/src', './e2e']

/** Seconds of the slowest files. They run first, so that the last file does not run alone for long. */
export const SLOWEST_FILES: Readonly<Record<string, number>> = {
  'server/run/cli/upgrade/upgrade-cluster.test.ts': 60,
  'e2e/api/webhooks/killed.test.ts': 45,
  'e2e/attack/twins.test.ts': 43,
  'server/main.test.ts': 41,
  'e2e/attack/large-values.test.ts': 39,
  'e2e/attack/sql.test.ts': 35,
  'server/run/backup/backup.test.ts': 35,
  'e2e/api/webhooks/copied-database.test.ts': 33,
  'e2e/attack/members.test.ts': 31,
  'e2e/attack/paths.test.ts': 30,
  'server/run/cli/copy/copy.test.ts': 30,
  'e2e/attack/bodies.test.ts': 27,
  'server/api/resources/openapi-document/generators.test.ts': 24,
  'e2e/attack/soak/kills.test.ts': 24,
  'server/api/resources/records/batch/delete.test.ts': 24,
  'e2e/api/crash/job-killed.test.ts': 23,
  'server/engine/query/large-pages.test.ts': 23,
  'server/engine/indexes/requested-indexes.test.ts': 22,
  'e2e/attack/mail-and-calendar-files.test.ts': 21,
  'e2e/attack/access.test.ts': 21,
  'server/access/list-access/list-access.test.ts': 21,
  'server/testing/adversarial-text.test.ts': 20,
}

/**
 * The reports are written to files of this folder, in the format of JUnit, the only machine-readable format that Bun writes.
 * With `CI` set, the files of few failed tests run once more.
 */
export async function runTests(env: Record<string, string | undefined>, folder: string): Promise<Outcome> {
  const timings = writeTimings(folder)
  const first = await runPaths(ALL, env, { timings, reportFile: join(folder, 'tests.xml') })
  console.log(['The slowest tests:', ...slowestTests(first.report)].join('\n'))
  const failures = failedTests(first.report)
  if (failures.length === 0) return first.outcome
  console.log(['Failed:', ...failures.map(({ title, text }) => `${title}\n${text}`)].join('\n'))
  if (!mayTryAgain(failures.length, env)) return first.outcome
  console.log(
    'The files of the failed tests run once more. A test that passes now is flaky: its cause is to be mended.',
  )
  const files = [...new Set(failures.map(({ file }) => `./${file}`))]
  const second = await runPaths(files, env, { timings, reportFile: join(folder, 'tests-again.xml') })
  return afterSecondTry(first.outcome, second.outcome)
}

async function runPaths(
  paths: readonly string[],
  env: Record<string, string | undefined>,
  { timings, reportFile }: { readonly timings: string; readonly reportFile: string },
): Promise<{ readonly outcome: Outcome; readonly report: string }> {
  const exitCode = await runBun(
    [
      'test',
      ...paths,
      // One more than the cores of a small machine: a test often waits for PostgreSQL or for another process.
      '--parallel=3',
      // The files of a worker share its modules. To load them anew takes longer than most files.
      '--no-isolate',
      `--timings=${timings}`,
      '--only-failures',
      `--timeout=${TIMEOUT_MS}`,
      '--reporter=junit',
      `--reporter-outfile=${reportFile}`,
    ],
    env,
  )
  const report = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : ''
  return { outcome: countResults(report, exitCode), report }
}

/** Writes the file by which Bun orders the test files, and returns its path. Files that it does not name would run before all others. */
function writeTimings(folder: string): string {
  const all = [...new Bun.Glob('{server,db,web/src,e2e}/**/*.test.ts').scanSync({ cwd: ROOT })]
  const files = Object.fromEntries(all.map((file) => [file, (SLOWEST_FILES[file] ?? 1) * 1000]))
  const path = join(folder, 'timings.json')
  writeFileSync(path, JSON.stringify({ version: 1, files }))
  return path
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

/** The failed tests in the order of the report. `title` is the file and the name; `text` has the message and the place. */
export function failedTests(
  report: string,
): { readonly file: string; readonly title: string; readonly text: string }[] {
  return [...report.matchAll(/<testcase ([^>]*[^/])>\s*<failure[^>]*>([^<]*)/g)].map(
    ([, attributes = '', text = '']) => {
      const file = attributeIn(attributes, 'file')
      return { file, title: `${file}: ${unescapeXml(attributeIn(attributes, 'name'))}`, text: unescapeXml(text) }
    },
  )
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&', '#10': '\n' }

const unescapeXml = (text: string): string => text.replace(/&(#?\w+);/g, (entity, name) => ENTITIES[name] ?? entity)

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

/**
 * Runs `bun run test`: static checks, then all tests and the journeys through the console on a temporary PostgreSQL. Ends
 * with one line, `N passed, N failed`. A static check counts as one test.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded, type EmbeddedDatabase } from '#db/embedded'
import { compileService } from './compile-service'
import { installServers } from './packages'
import { runBrowser } from './run-browser'
import { runBun, type Outcome } from './run-bun'
import { runTests, TIMEOUT_MS } from './run-tests'
import { createTemporaryFolder } from './temporary-folder'

/** The arguments of `bun` for each check. */
const STATIC_CHECKS = [['fmt', '--check'], ['run', 'oxlint'], ['check'], ['run', 'web:check']]

/** JavaScript is not compiled a third time, for which most code of a test does not run long enough. See docs/decisions/tests.md. */
const FEWER_COMPILATIONS = { BUN_JSC_useFTLJIT: '0' }

const folder = createTemporaryFolder()
/** A file system in memory may refuse to run programs. */
const programFolder = mkdtempSync(join(tmpdir(), 'relata-test-'))
// Ctrl-C also reaches the checks and tests, which end; then this process cleans up.
process.on('SIGINT', () => {})

try {
  const [checked] = await Promise.all([checkStatically(), installServers()])
  const outcomes = [checked, await testOnDatabase()]
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  for (const each of [folder, programFolder]) rmSync(each, { recursive: true, force: true })
}

async function checkStatically(): Promise<Outcome> {
  let failed = 0
  for (const words of STATIC_CHECKS) {
    console.log(`bun ${words.join(' ')}`)
    if ((await runBun(words)) !== 0) failed += 1
  }
  return { passed: STATIC_CHECKS.length - failed, failed }
}

async function testOnDatabase(): Promise<Outcome> {
  const database = await openDatabase().catch((error: Error) => console.error(error.message))
  if (!database) return { passed: 0, failed: 1 }
  try {
    const RELATA_TEST_SERVICE = await compileService(programFolder)
    const env = { ...process.env, ...FEWER_COMPILATIONS, TEST_ADMIN_URL: patient(database.url), RELATA_TEST_SERVICE }
    const tests = await runTests(env, folder)
    const journeys = await runBrowser(env, folder)
    return { passed: tests.passed + journeys.passed, failed: tests.failed + journeys.failed }
  } finally {
    await database.stop()
  }
}

/** Sets a long connection timeout, so that connections do not fail on a busy machine. */
function patient(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('connect_timeout', String(TIMEOUT_MS / 1000))
  return url.href
}

/** Opens the PostgreSQL of TEST_ADMIN_URL, or starts a temporary one without durability. */
async function openDatabase(): Promise<EmbeddedDatabase> {
  const url = process.env.TEST_ADMIN_URL
  if (url) return { url, stop: async () => {} }
  return startEmbedded({ dataDir: folder, purpose: 'command', durability: 'throw-away' })
}

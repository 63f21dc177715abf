/** Runs commands of `bun relata` in the process of the tests. */

import { afterAll, beforeAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#base/timing/clock'
import type { LocalCommand } from '#run/cli/command'
import { readArguments } from '#run/cli/read-arguments'
import { runCommandLine } from '#run/cli/run'
import { createFirstWorkspace } from '#run/startup/service'
import { testDatabase, type TestDatabase } from './database'
import type { TestService } from './service'

interface Printed {
  readonly exitCode: number
  /** The lines of standard output. */
  readonly lines: readonly string[]
  readonly output: string
  /** The text of standard error. */
  readonly problem: string
  /** The texts of both, in their order. */
  readonly text: string
}

/** Runs the command line with these words. */
export async function runRelata(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Printed> {
  const lines: string[] = []
  const problems: string[] = []
  const all: string[] = []
  const printTo = (own: string[]) => (line: string) => void (own.push(line), all.push(line))
  const exitCode = await runCommandLine(words, environment, { print: printTo(lines), printError: printTo(problems) })
  return { exitCode, lines, output: lines.join('\n'), problem: problems.join('\n'), text: all.join('\n') }
}

/** Runs a command on the database of a service. Returns the lines that it prints. */
export async function runCommand(
  { db, appContext }: Pick<TestService, 'db' | 'appContext'>,
  command: LocalCommand,
  words: readonly string[],
): Promise<string[]> {
  const lines: string[] = []
  const { now, blobs } = appContext
  const context = { db, now, blobs, baseUrl: '', print: (line: string) => void lines.push(line) }
  await command.run(readArguments(command, words), context)
  return lines
}

/** Creates a database with the workspace of a first start, before the tests. Hooks and tests may use its members. */
export function useFirstWorkspace(): TestDatabase {
  const database = {} as TestDatabase // has its members when the hook below has ended
  beforeAll(async () => {
    Object.assign(database, await testDatabase())
    const admin = { adminEmail: 'ada@example.com', adminPassword: undefined }
    await createFirstWorkspace(database.db, { firstStart: 'print', workspaceName: 'First', ...admin }, systemClock())
  })
  afterAll(() => database.drop())
  return database
}

/** Creates an empty folder, which is removed after the tests. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'relata-test-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}

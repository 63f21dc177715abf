/** Runs one command line: finds the command, parses its options, opens the database, and returns the exit code. */

import { readConfig } from '#run/config/config'
import { explainFailure } from '#run/startup/explain-failure'
import { openBlobStore } from '#run/startup/open-blob-store'
import { openCommandDatabase } from '#run/startup/open-database'
import { systemClock } from '#base/timing/clock'
import { CommandError, UsageError, type Command } from './command'
import { COMMANDS } from './commands'
import { explain, overview } from './help'
import { findCommand, readArguments, type ParsedArguments } from './read-arguments'

export interface CommandLineContext {
  print(line: string): void
  printError(line: string): void
  /** Aborted to end a command that runs until it is stopped. Without it, the command ends with the process. */
  readonly signal?: AbortSignal
}

export const EXIT_CODES = { success: 0, failure: 1, usageError: 2 }

const asksForHelp = (words: readonly string[]) => words.some((word) => word === '--help' || word === '-h')

export async function runCommandLine(
  words: readonly string[],
  env: Record<string, string | undefined>,
  context: CommandLineContext,
): Promise<number> {
  const found = findCommand(COMMANDS, words)
  if (!found) return withoutCommand(words, context)
  const [command, rest] = found
  if (asksForHelp(rest)) {
    context.print(explain(command))
    return EXIT_CODES.success
  }
  try {
    return await runCommand(command, readArguments(command, rest), env, context)
  } catch (error) {
    if (error instanceof UsageError) {
      context.printError(`${error.message} See bun relata ${command.name} --help.`)
      return EXIT_CODES.usageError
    }
    const sentence = sentenceOf(error)
    if (sentence === undefined) throw error
    context.printError(sentence)
    return EXIT_CODES.failure
  }
}

/** What the operator can mend; undefined for a fault of the command. */
function sentenceOf(error: unknown): string | undefined {
  if (error instanceof CommandError) return error.message
  return explainFailure(error)
}

function withoutCommand(words: readonly string[], context: CommandLineContext): number {
  if (words.length === 0 || asksForHelp(words)) {
    context.print(overview(COMMANDS))
    return EXIT_CODES.success
  }
  context.printError(`There is no command "${words.join(' ')}". See bun relata --help.`)
  return EXIT_CODES.usageError
}

async function runCommand(
  command: Command,
  given: ParsedArguments,
  env: Record<string, string | undefined>,
  { print, signal = new AbortController().signal }: CommandLineContext,
): Promise<number> {
  const config = readConfig(env)
  if ('runRemotely' in command) return command.runRemotely(given, { baseUrl: config.baseUrl, print, signal })
  const { db, process, close } = await openCommandDatabase(config)
  try {
    return await command.run(given, {
      db,
      now: systemClock(),
      blobs: openBlobStore(config, db, process),
      baseUrl: config.baseUrl,
      print,
    })
  } finally {
    await close()
  }
}

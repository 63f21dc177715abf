/** Runs one command line: finds the command, reads its options, hands it a database, gives the exit code. */

import { StartError } from '../../db/start-error'
import { readConfig } from '../config/config'
import { openCommandDatabase } from '../startup/open-database'
import { systemClock } from '../timing/clock'
import { CommandProblem, UsageProblem, type Command } from './command'
import { COMMANDS } from './commands'
import { explain, overview } from './help'
import { findCommand, readArguments, type Given } from './read-arguments'

export interface Terminal {
  print(line: string): void
  printError(line: string): void
  /** Aborted when what goes on without end is to end. Absent: the process ends with it. */
  readonly signal?: AbortSignal
}

export const EXIT = { done: 0, failed: 1, misused: 2 }

const asksForHelp = (words: readonly string[]) => words.some((word) => word === '--help' || word === '-h')

export async function runCommandLine(
  words: readonly string[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
): Promise<number> {
  const found = findCommand(COMMANDS, words)
  if (!found) return withoutCommand(words, terminal)
  const [command, rest] = found
  if (asksForHelp(rest)) {
    terminal.print(explain(command))
    return EXIT.done
  }
  try {
    return await runCommand(command, readArguments(command, rest), env, terminal)
  } catch (error) {
    if (error instanceof UsageProblem) {
      terminal.printError(`${error.message} See bun relata ${command.name} --help.`)
      return EXIT.misused
    }
    if (!(error instanceof CommandProblem || error instanceof StartError)) throw error
    terminal.printError(error.message)
    return EXIT.failed
  }
}

function withoutCommand(words: readonly string[], terminal: Terminal): number {
  if (words.length === 0 || asksForHelp(words)) {
    terminal.print(overview(COMMANDS))
    return EXIT.done
  }
  terminal.printError(`There is no command "${words.join(' ')}". See bun relata --help.`)
  return EXIT.misused
}

async function runCommand(
  command: Command,
  given: Given,
  env: Record<string, string | undefined>,
  { print, signal = new AbortController().signal }: Terminal,
): Promise<number> {
  const config = readConfig(env)
  if ('runRemotely' in command) return command.runRemotely(given, { baseUrl: config.baseUrl, print, signal })
  const { db, close } = await openCommandDatabase(config)
  try {
    return await command.run(given, { db, now: systemClock(), baseUrl: config.baseUrl, print })
  } finally {
    await close()
  }
}

/** Runs one command line: finds the command, parses its options, opens the database, and returns the exit code. */

import { scheduledBackupsOf } from '#run/backup/scheduled-backups'
import { readConfig } from '#run/config/config'
import { explainFailure } from '#run/startup/explain-failure'
import { openBlobStore, openCommandDatabase } from '#run/startup/open-database'
import { systemClock } from '#base/timing/clock'
import { COMMAND, VERSION_TEXT } from '#db/program'
import { type Command, CommandError, UsageError } from './command'
import { COMMANDS } from './commands'
import { findCommand, type ParsedArguments, readArguments } from './read-arguments'

export interface CommandLineContext {
  print(line: string): void
  printError(line: string): void
  /** Aborted to end a command that runs until it is stopped. Without it, the command ends with the process. */
  readonly signal?: AbortSignal
}

const EXIT_CODES = { success: 0, failure: 1, usageError: 2 }

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
    context.print(explainCommand(command))
    return EXIT_CODES.success
  }
  try {
    return (await runCommand(command, readArguments(command, rest), env, context)) ?? EXIT_CODES.success
  } catch (error) {
    if (error instanceof UsageError) {
      context.printError(`${error.message} See ${COMMAND} ${command.name} --help.`)
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
  if (words[0] === '--version') {
    context.print(VERSION_TEXT)
    return EXIT_CODES.success
  }
  if (words.length === 0 || asksForHelp(words)) {
    context.print(overview(COMMANDS))
    return EXIT_CODES.success
  }
  context.printError(`There is no command "${words.join(' ')}". See ${COMMAND} --help.`)
  return EXIT_CODES.usageError
}

async function runCommand(
  command: Command,
  given: ParsedArguments,
  env: Record<string, string | undefined>,
  { print, printError, signal = new AbortController().signal }: CommandLineContext,
): Promise<number | undefined> {
  const config = readConfig(env)
  if ('runRemotely' in command) return command.runRemotely(given, { baseUrl: config.baseUrl, print, signal })
  if ('runUnopened' in command) return command.runUnopened(given, { config, now: systemClock(), print, printError })
  const tables = 'tables' in command ? command.tables : 'migrated'
  const { db, process, secretKeys, close } = await openCommandDatabase(config, { tables, log: printError })
  try {
    const blobs = openBlobStore(config, db, process)
    const context = {
      db,
      now: systemClock(),
      blobs,
      baseUrl: config.baseUrl,
      backups: scheduledBackupsOf(config),
      print,
    }
    return await ('tables' in command
      ? command.runConfigured(given, { ...context, config, secretKeys })
      : command.run(given, context))
  } finally {
    await close()
  }
}

/** The texts of `--help`, from the declarations of the commands. */
function overview(commands: readonly Command[]): string {
  const rows = commands.map((command) => [command.name, command.summary] as const)
  return [
    `Usage: ${COMMAND} <command>`,
    '',
    ...columns(rows),
    '',
    ...(Bun.isStandaloneExecutable ? ['Without a command, relata runs the service.'] : []),
    'Run a command with --help for its options; --version prints the version. Commands use the database of the running service, or start the embedded',
    'one while they run. They read the same environment variables as the service.',
  ].join('\n')
}

export function explainCommand({ name, summary, options, positionals = [] }: Command): string {
  const rows = Object.entries(options).map(
    ([option, { value, description }]) =>
      [value === undefined ? `--${option}` : `--${option} ${value}`, description] as const,
  )
  const usage = Object.entries(options).map(([option, { kind, value, isRequired }]) => {
    const word = value === undefined ? `--${option}` : `--${option} ${value}`
    return `${isRequired ? word : `[${word}]`}${kind === 'texts' ? '...' : ''}`
  })
  return [`Usage: ${COMMAND} ${[name, ...positionals, ...usage].join(' ')}`, '', summary, '', ...columns(rows)]
    .join('\n')
    .trimEnd()
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

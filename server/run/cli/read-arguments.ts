/** Parses a command line into a command and its options. */

import { parseArgs } from 'node:util'
import { UsageError, type Command, type OptionValues, type Options } from './command'

export interface ParsedArguments {
  readonly options: OptionValues<Options>
  readonly positionals: readonly string[]
}

/** The command whose name the words begin with, and the words after it. */
export function findCommand(commands: readonly Command[], words: readonly string[]): [Command, string[]] | undefined {
  for (const command of commands) {
    const name = command.name.split(' ')
    if (name.every((word, index) => words[index] === word)) return [command, words.slice(name.length)]
  }
  return undefined
}

/** Throws `UsageError` for an unknown, missing or surplus argument. */
export function readArguments(command: Command, words: readonly string[]): ParsedArguments {
  const { values, positionals } = parse(command, words)
  const expected = command.positionals ?? []
  if (positionals.length > expected.length) {
    throw new UsageError(`The argument "${positionals[expected.length]}" is not expected.`)
  }
  const missing = expected[positionals.length]
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`)
  const entries = Object.entries(command.options).map(([name, { kind, isRequired }]) => {
    if (isRequired && values[name] === undefined) throw new UsageError(`--${name} is missing.`)
    return [name, values[name] ?? DEFAULTS[kind]] as const
  })
  return { options: Object.fromEntries(entries) as OptionValues<Options>, positionals } // `parseArgs` gives these kinds
}

/** The values of options that are not given. */
const DEFAULTS = { flag: false, text: undefined, texts: [] } as const

interface Parsed {
  readonly values: Readonly<Record<string, unknown>>
  readonly positionals: readonly string[]
}

function parse({ options }: Command, words: readonly string[]): Parsed {
  const declared = Object.entries(options).map(([name, { kind }]) => [
    name,
    { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'texts' },
  ])
  try {
    return parseArgs({ args: [...words], options: Object.fromEntries(declared), allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(describeError(error, words))
  }
}

/** Rewords the messages of Node, which suggest a syntax that this command line does not have. */
function describeError(error: unknown, words: readonly string[]): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const message = error instanceof Error ? error.message : String(error)
  const option = /'(-[^' ]+)/.exec(message)?.[1] ?? words.find((word) => word.startsWith('-')) ?? ''
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `There is no option ${option}.`
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    return message.includes('does not take an argument') ? `${option} takes no value.` : `${option} needs a value.`
  }
  return message
}

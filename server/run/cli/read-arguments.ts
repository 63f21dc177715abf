/** Parses a command line into a command and its options. */

import { parseArgs } from 'node:util'
import { type Command, type Options, type OptionValues, UsageError } from './command'
import { isScope, READ_WRITE_SCOPES, type Scope } from '#vocabulary/scopes'

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

// Parses the scopes that an option of a command names.

/** `all`, or names separated by commas: `record_permission:read-write,object_configuration:read`. */
export function readScopes(text: string): Scope[] {
  if (text === 'all') return [...READ_WRITE_SCOPES]
  const names = text.split(',').map((name) => name.trim())
  const scopes = new Set<Scope>()
  for (const name of names) {
    if (!isScope(name)) {
      const allScopes = READ_WRITE_SCOPES.map((scope) => scope.replace('-write', '[-write]')).join(', ')
      throw new UsageError(`"${name}" is not a scope; there are all, ${allScopes}.`)
    }
    scopes.add(name)
  }
  return [...scopes]
}

/** Reads an address of `http` or `https`, given by the option of this name. */
export function readUrl(option: string, text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--${option} is an address that begins with http:// or https://, not "${text}".`)
  }
  return url
}

/** The address of a service, without a trailing slash. */
export const readServiceUrl = (text: string): string => readUrl('service', text).href.replace(/\/$/, '')

/** What a command of `bun relata` is. One file per command declares one of these; `commands.ts` collects them. */

import type { Database } from '../../db/connect'
import type { Clock } from '../timing/clock'

export interface CommandOption {
  /** `flag` stands alone, `text` takes what follows it, and `texts` does so as often as it is given. */
  readonly kind: 'flag' | 'text' | 'texts'
  /** How help names what follows, e.g. `<name>`. */
  readonly value?: string
  readonly description: string
  readonly isRequired?: boolean
}

export type Options = Readonly<Record<string, CommandOption>>

/** Flags are true or false, a text is the text or undefined, texts are all that were given, in their order. */
export type OptionValues<O extends Options> = {
  readonly [Name in keyof O]: OptionValue<O[Name]['kind'], O[Name]['isRequired']>
}

type OptionValue<Kind, IsRequired> = Kind extends 'flag'
  ? boolean
  : Kind extends 'texts'
    ? readonly string[]
    : IsRequired extends true
      ? string
      : string | undefined

export interface CommandContext {
  readonly db: Database
  readonly now: Clock
  /** Where people reach the service, without a trailing slash. */
  readonly baseUrl: string
  /** A line for the person who called. */
  print(line: string): void
}

/** Of a command that speaks to a service over HTTP, wherever that is, and needs no database. */
export interface RemoteCommandContext extends Pick<CommandContext, 'baseUrl' | 'print'> {
  /** Aborted when it is to end. */
  readonly signal: AbortSignal
}

interface CommandDeclaration<O extends Options> {
  /** The words it is called by, e.g. `key create`. */
  readonly name: string
  readonly summary: string
  /** Names of what must follow without a dash, e.g. `<id>`. */
  readonly positionals?: readonly string[]
  readonly options: O
}

interface CommandArguments<O extends Options> {
  readonly options: OptionValues<O>
  readonly positionals: readonly string[]
}

export interface LocalCommand<O extends Options = Options> extends CommandDeclaration<O> {
  /** Gives the exit code: 0 for done, 1 for not. */
  run(given: CommandArguments<O>, context: CommandContext): Promise<number>
}

export interface RemoteCommand<O extends Options = Options> extends CommandDeclaration<O> {
  /** As `run`. */
  runRemotely(given: CommandArguments<O>, context: RemoteCommandContext): Promise<number>
}

export type Command = LocalCommand | RemoteCommand

/** Ties the values a command is given to the options it declares; `readArguments` makes exactly those. */
export const defineCommand = <const O extends Options>(command: LocalCommand<O>): LocalCommand => command

/** The same for one that needs no database. */
export const defineRemoteCommand = <const O extends Options>(command: RemoteCommand<O>): RemoteCommand => command

/** The command was called wrongly; the message says how to call it rightly. */
export class UsageError extends Error {}

/** The command cannot do what was asked; the message says why. */
export class CommandError extends Error {}

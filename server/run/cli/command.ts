/** The declaration of a command of `bun relata`. Each command has a file of its own, and `commands.ts` lists them all. */

import type { Database } from '#db/connect'
import type { SecretKeys } from '#db/secret-keys'
import type { BackupSettings } from '#access/installation/backup-schedule'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { Clock } from '#base/timing/clock'
import type { Config } from '#run/config/config'

export interface CommandOption {
  /** A `flag` has no value, a `text` has one, and `texts` may be given several times. */
  readonly kind: 'flag' | 'text' | 'texts'
  /** The placeholder of the value in the help, for example `<name>`. */
  readonly value?: string
  readonly description: string
  readonly isRequired?: boolean
}

export type Options = Readonly<Record<string, CommandOption>>

/** A flag is true or false, a text is undefined when it was not given, and texts are in the order given. */
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
  readonly blobs: BlobStore
  /** The address of the service, without a trailing slash. */
  readonly baseUrl: string
  /** The backups that the service makes by itself. */
  readonly backups?: BackupSettings | undefined
  /** Prints a line to standard output. */
  print(line: string): void
}

/** For a command that reads settings of its own. */
export interface ConfiguredContext extends CommandContext {
  readonly config: Config
  /** The keys that encrypt the secrets of the database. */
  readonly secretKeys: SecretKeys
}

/** For a command that opens the database itself, if it needs it. */
export interface UnopenedContext extends Pick<CommandContext, 'now' | 'print'> {
  readonly config: Config
  /** Prints a line to standard error. */
  printError(line: string): void
}

/** For a command that calls the service over HTTP and needs no database. */
export interface RemoteCommandContext extends Pick<CommandContext, 'baseUrl' | 'print'> {
  /** Aborted when the command has to end. */
  readonly signal: AbortSignal
}

export interface CommandDeclaration<O extends Options> {
  /** For example `key create`. */
  readonly name: string
  readonly summary: string
  /** Placeholders of the required positional arguments, for example `<id>`. */
  readonly positionals?: readonly string[]
  readonly options: O
}

type ExitCode = number | undefined

export interface CommandArguments<O extends Options> {
  readonly options: OptionValues<O>
  readonly positionals: readonly string[]
}

export interface LocalCommand<O extends Options = Options> extends CommandDeclaration<O> {
  /** Returns the exit code: 1 for failure, 0 or nothing for success. */
  run(args: CommandArguments<O>, context: CommandContext): Promise<ExitCode>
}

export interface RemoteCommand<O extends Options = Options> extends CommandDeclaration<O> {
  /** Returns the exit code, like `run`. */
  runRemotely(args: CommandArguments<O>, context: RemoteCommandContext): Promise<ExitCode>
}

export interface ConfiguredCommand<O extends Options = Options> extends CommandDeclaration<O> {
  /** `as it is` opens the database without the control tables, which a restore makes. */
  readonly tables: 'migrated' | 'as it is'
  /** Returns the exit code, like `run`. */
  runConfigured(args: CommandArguments<O>, context: ConfiguredContext): Promise<ExitCode>
}

export interface UnopenedCommand<O extends Options = Options> extends CommandDeclaration<O> {
  /** Returns the exit code, like `run`. */
  runUnopened(args: CommandArguments<O>, context: UnopenedContext): Promise<ExitCode>
}

export type Command = LocalCommand | ConfiguredCommand | RemoteCommand | UnopenedCommand

/** Types the option values of a command by the options it declares. `readArguments` produces them. */
export const defineCommand = <const O extends Options>(command: LocalCommand<O>): LocalCommand => command

/** The same for a command that reads settings of its own. */
export const defineConfiguredCommand = <const O extends Options>(command: ConfiguredCommand<O>): ConfiguredCommand =>
  command

/** The same for a command that opens the database itself. */
export const defineUnopenedCommand = <const O extends Options>(command: UnopenedCommand<O>): UnopenedCommand => command

/** The same for a command that needs no database. */
export const defineRemoteCommand = <const O extends Options>(command: RemoteCommand<O>): RemoteCommand => command

/** The command line is invalid. The message describes the correct usage. */
export class UsageError extends Error {}

/** The command failed. The message says why. */
export class CommandError extends Error {}

/**
 * The declaration of a command of `bun relata`: `commands.ts` lists them all. A command for a workspace finds the one that it names, or the
 * only one.
 */
import type { BackupSettings } from '#access/installation/backup-schedule'
import type { Clock } from '#base/timing/clock'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { Database } from '#db/connect'
import type { SecretKeys } from '#db/secret-keys'
import type { DataModel, Member } from '#engine/data-model/model'
import type { Config } from '#run/config/config'

interface CommandOption {
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
interface RemoteCommandContext extends Pick<CommandContext, 'baseUrl' | 'print'> {
  /** Aborted when the command has to end. */
  readonly signal: AbortSignal
}

interface CommandDeclaration<O extends Options> {
  /** For example `key create`. */
  readonly name: string
  readonly summary: string
  /** Placeholders of the required positional arguments, for example `<id>`. */
  readonly positionals?: readonly string[]
  readonly options: O
}

type ExitCode = number | undefined

interface CommandArguments<O extends Options> {
  readonly options: OptionValues<O>
  readonly positionals: readonly string[]
}

export interface LocalCommand<O extends Options = Options> extends CommandDeclaration<O> {
  /** Returns the exit code: 1 for failure, 0 or nothing for success. */
  run(args: CommandArguments<O>, context: CommandContext): Promise<ExitCode>
}

interface RemoteCommand<O extends Options = Options> extends CommandDeclaration<O> {
  /** Returns the exit code, like `run`. */
  runRemotely(args: CommandArguments<O>, context: RemoteCommandContext): Promise<ExitCode>
}

interface ConfiguredCommand<O extends Options = Options> extends CommandDeclaration<O> {
  /** `as it is` opens the database without the control tables, which a restore makes. */
  readonly tables: 'migrated' | 'as it is'
  /** Returns the exit code, like `run`. */
  runConfigured(args: CommandArguments<O>, context: ConfiguredContext): Promise<ExitCode>
}

interface UnopenedCommand<O extends Options = Options> extends CommandDeclaration<O> {
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

/** Prints rows of text under headings, each column as wide as its widest cell. */
export function printTable(
  print: (line: string) => void,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const all = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  for (const row of all)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

interface WorkspaceRow {
  readonly id: string
  /** The number in the name of its schema. */
  readonly number: number
  readonly slug: string
  readonly name: string
  readonly shows_updated_at: boolean
  readonly creates_contacts: boolean
}

export const WORKSPACE_OPTION = {
  kind: 'text',
  value: '<slug>',
  description: 'The workspace. Required when there are several.',
} as const

interface WorkspaceCommand<O extends Options> extends CommandDeclaration<O> {
  run(workspace: WorkspaceRow, args: CommandArguments<O>, context: CommandContext): ReturnType<LocalCommand['run']>
}

/** Defines a command about one workspace, which gets the option `--workspace`. */
export const defineWorkspaceCommand = <const O extends Options>({
  run,
  ...command
}: WorkspaceCommand<O>): LocalCommand =>
  defineCommand({
    ...command,
    options: { ...command.options, workspace: WORKSPACE_OPTION },
    run: async (args, context) => run(await getNamedWorkspace(context.db, args.options.workspace), args, context),
  })

/** In the order of creation. */
export const listWorkspaces = (db: Database): Promise<WorkspaceRow[]> =>
  db.control
    .selectFrom('relata.workspaces')
    .select(['id', 'number', 'slug', 'name', 'shows_updated_at', 'creates_contacts'])
    .orderBy('number')
    .execute()

export async function getNamedWorkspace(db: Database, slug: string | undefined): Promise<WorkspaceRow> {
  const workspaces = await listWorkspaces(db)
  const [first, ...others] = slug === undefined ? workspaces : workspaces.filter((workspace) => workspace.slug === slug)
  const slugs = workspaces.map((workspace) => workspace.slug).join(', ')
  if (!first) {
    if (workspaces.length === 0) throw new CommandError('There is no workspace yet; start the service once.')
    throw new CommandError(`There is no workspace "${slug}"; there are: ${slugs}.`)
  }
  if (others.length > 0) throw new CommandError(`Name the workspace with --workspace; there are: ${slugs}.`)
  return first
}

/** The member with an email address, in any case. */
export function getNamedMember(model: DataModel, email: string): Member {
  const member = model.membersByEmail.get(email.toLowerCase())
  if (!member) throw new CommandError(`There is no member with the email address "${email}".`)
  return member
}

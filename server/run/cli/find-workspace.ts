/** Finds the workspace of a command: the one it names, or the only one. */

import type { Database } from '#db/connect'
import {
  type CommandArguments,
  type CommandContext,
  type CommandDeclaration,
  CommandError,
  defineCommand,
  type LocalCommand,
  type Options,
} from './command'
import type { DataModel, Member } from '#engine/data-model/model'

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

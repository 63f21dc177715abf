/** Which workspace a command is about: the one it names, or the only one there is. */

import type { Database } from '../../db/connect'
import { CommandError } from './command'

export interface WorkspaceRow {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly shows_updated_at: boolean
}

export const WORKSPACE_OPTION = {
  kind: 'text',
  value: '<slug>',
  description: 'Which workspace; not needed when there is only one.',
} as const

/** In the order of their making. */
export async function listWorkspaces(db: Database): Promise<WorkspaceRow[]> {
  return db.sql<WorkspaceRow[]>`select id, slug, name, shows_updated_at from relata.workspaces order by number`
}

export async function getWorkspace(db: Database, slug: string | undefined): Promise<WorkspaceRow> {
  const workspaces = await listWorkspaces(db)
  const [first, ...others] = slug === undefined ? workspaces : workspaces.filter((workspace) => workspace.slug === slug)
  const slugs = workspaces.map((workspace) => workspace.slug).join(', ')
  if (!first) {
    if (workspaces.length === 0) throw new CommandError('There is no workspace yet; start the service once.')
    throw new CommandError(`There is no workspace "${slug}"; there are: ${slugs}.`)
  }
  if (others.length > 0) throw new CommandError(`Say which workspace with --workspace; there are: ${slugs}.`)
  return first
}

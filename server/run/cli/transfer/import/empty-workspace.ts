/** An existing workspace that an import may fill: its members and API keys stay, its data model is replaced. */

import type { Transaction } from '#db/connect'
import { sendCommands } from '#db/citus'
import type { DataModel } from '#engine/data-model/model'
import { dropTable } from '#engine/data-model/tables'
import { deleteRemains, hasEntities } from '#engine/storage/dump/workspace-tables'
import { CommandError } from '#run/cli/command'

/** The control tables that may have rows of an empty workspace. Rows of any other table are content. */
const TABLES_OF_EMPTY: ReadonlySet<string> = new Set(
  [
    ['actors', 'workspace_members', 'member_pictures', 'inboxes', 'tokens', 'sessions', 'provider_identities'],
    ['entity_types', 'objects', 'object_teams', 'attributes', 'options', 'indexes', 'blobs'],
    ['outbox', 'outbox_writers', 'events', 'interaction_feeds', 'interaction_refreshes'],
    ['audit_log', 'query_history', 'query_scores', 'idempotent_answers', 'accepted_invitations'],
    ['trashed_files', 'trash_expiries'],
  ].flat(),
)

/** Throws `CommandError` that says what the workspace has. */
export async function assertEmpty(tx: Transaction, model: DataModel): Promise<void> {
  const { id, slug } = model.workspace
  const contents: string[] = []
  if (await hasEntities(tx, model)) contents.push('records')
  if (model.entityTypes.some((each) => each.kind === 'object' && each.standard_slug === null))
    contents.push('custom objects')
  for (const table of await listControlTables(tx)) {
    if (TABLES_OF_EMPTY.has(table)) continue
    const rows = await tx.unsafe(`select 1 from relata."${table}" where workspace_id = $1 limit 1`, [id])
    if (rows.length > 0) contents.push(table.replaceAll('_', ' '))
  }
  if (contents.length > 0) throw new CommandError(`The workspace ${slug} is not empty. It has: ${contents.join(', ')}.`)
}

/** The control tables with rows of workspaces, partitioned ones as a whole. */
async function listControlTables(tx: Transaction): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
    where c.relnamespace = 'relata'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by c.relname`
  return rows.map(({ name }) => name)
}

/** Removes the data model and the files that nothing refers to. */
export async function clearWorkspace(tx: Transaction, model: DataModel): Promise<void> {
  const { id } = model.workspace
  await deleteRemains(tx, model)
  await tx`delete from relata.entity_types where workspace_id = ${id}`
  await tx`delete from relata.blobs where workspace_id = ${id}`
  await sendCommands(
    tx,
    model.entityTypes.map(({ table }) => dropTable(table)),
  )
}

/** An existing workspace that an import may fill: its members and API keys stay, its data model is replaced. */

import type { Transaction } from '../../../../db/connect'
import { sendCommands } from '../../../../db/citus'
import type { DataModel } from '../../../data-model/model'
import { dropTable } from '../../../data-model/tables'
import { deleteRemains, hasEntities } from '../../../storage/dump/workspace-tables'
import { CommandError } from '../../command'
import { CONTENT_FILES } from '../files/registry'

/** The tables without rows in an empty workspace, besides those of `CONTENT_FILES`. */
const EMPTY_TABLES = [
  'apps',
  'grants',
  'lists',
  'views',
  'teams',
  'invitations',
  'domains',
  'sign_in_rules',
  'sign_in_providers',
  'imports',
  'contact_jobs',
  'tool_calls',
  'test_endpoints',
]

/** Throws `CommandError` that says what the workspace has. */
export async function assertEmpty(tx: Transaction, model: DataModel): Promise<void> {
  const { id, slug } = model.workspace
  const contents: string[] = []
  if (await hasEntities(tx, model)) contents.push('records')
  if (model.entityTypes.some((each) => each.kind === 'object' && each.standard_slug === null))
    contents.push('custom objects')
  const tables = [
    ...CONTENT_FILES.filter((file) => !file.isInWorkspaceSchema).map(({ table }) => table),
    ...EMPTY_TABLES,
  ]
  for (const table of tables) {
    const rows = await tx.unsafe(`select 1 from relata."${table}" where workspace_id = $1 limit 1`, [id])
    if (rows.length > 0) contents.push(table.replaceAll('_', ' '))
  }
  if (contents.length > 0) throw new CommandError(`The workspace ${slug} is not empty. It has: ${contents.join(', ')}.`)
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

/** The workspace that an import fills: a new one, or an empty one. */

import { distributeNewSchemas } from '#db/citus'
import type { Transaction } from '#db/connect'
import { loadDataModel } from '#engine/data-model/load'
import { workspaceSchemaName } from '#engine/data-model/names'
import { newId } from '#base/ids'
import { createSchema } from '#engine/workspaces/create-workspace'
import { CommandError } from '#run/cli/command'
import type { WorkspaceEntry } from '#run/cli/transfer/format'
import { assertEmpty, clearWorkspace } from './empty-workspace'
import { saveAccess } from './previous-access'

export interface Target {
  readonly workspaceId: string
  /** Quoted, as in `DataModel.schema`. */
  readonly schema: string
  /** Whether the workspace had members and API keys, which were set aside. */
  readonly isExisting: boolean
  /** The last number of the workspace before the import. */
  readonly lastNumber: number
}

interface WorkspaceRow {
  readonly id: string
  readonly number: number
  readonly last_number: number
}

/** Nothing else can change the workspace before the transaction ends. Throws `CommandError` for a workspace that is not empty. */
export async function openTarget(tx: Transaction, workspace: WorkspaceEntry): Promise<Target> {
  const [existing] = await tx<WorkspaceRow[]>`
    select id, number, last_number from relata.workspaces where slug = ${workspace.slug} for update`
  return existing === undefined ? createTarget(tx, workspace) : emptyTarget(tx, existing, workspace)
}

async function createTarget(tx: Transaction, workspace: WorkspaceEntry): Promise<Target> {
  const { slug, name, created_at } = workspace
  const id = newId()
  const [row] = await tx<{ number: number; version: number }[]>`
    insert into relata.workspaces (id, slug, name, created_at) values (${id}, ${slug}, ${name}, ${created_at})
    on conflict (slug) do nothing returning number, data_model_version as version`
  if (row === undefined) throw new CommandError(`A workspace ${slug} was created meanwhile.`)
  const schema = `"${workspaceSchemaName(row.number)}"`
  await distributeNewSchemas(tx, true)
  await createSchema(tx, schema, row.version)
  await storeSettings(tx, id, workspace)
  return { workspaceId: id, schema, isExisting: false, lastNumber: 0 }
}

async function emptyTarget(tx: Transaction, row: WorkspaceRow, workspace: WorkspaceEntry): Promise<Target> {
  const { id, last_number } = row
  const model = await loadDataModel(tx, id)
  await assertEmpty(tx, model)
  await clearWorkspace(tx, model)
  await saveAccess(tx, id)
  await storeSettings(tx, id, workspace)
  return { workspaceId: id, schema: model.schema, isExisting: true, lastNumber: last_number }
}

const storeSettings = (tx: Transaction, id: string, workspace: WorkspaceEntry) => tx`
  update relata.workspaces set name = ${workspace.name}, logo_url = ${workspace.logo_url},
    shows_updated_at = ${workspace.shows_updated_at}, creates_contacts = ${workspace.creates_contacts},
    member_permissions = ${workspace.member_permissions}::text[], default_country = ${workspace.default_country}
  where id = ${id}`

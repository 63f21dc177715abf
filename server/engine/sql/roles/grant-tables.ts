import type { Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'

/**
 * Lets the role read the tables of all objects and lists of the workspace. It may not read the tables of history, unique values
 * and merges. Tables that were dropped are no longer in the data model of the next version.
 */
export async function grantTables(tx: Transaction, role: string, model: DataModel): Promise<void> {
  const tables = model.entityTypes.map(({ table }) => table)
  const missing = await tx<{ name: string }[]>`
    select t.name from unnest(${tables}::text[]) as t (name)
    where to_regclass(t.name) is not null and not has_table_privilege(${role}::text, to_regclass(t.name), 'select')`
  await tx.unsafe(`grant usage on schema ${model.schema} to "${role}"`)
  if (missing.length > 0)
    await tx.unsafe(`grant select on table ${missing.map(({ name }) => name).join(', ')} to "${role}"`)
}

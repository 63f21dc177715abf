/** Removes attributes and owners for good: rows, columns, tables, and all that was kept of their values. */

import type { ModelChange } from '../data-model/change'
import { ownerOf } from '../data-model/find'
import type { Attribute, Owner } from '../data-model/model'
import { dropColumns, dropTable } from '../data-model/tables'
import { attributeColumns } from './attribute-columns'

/** The other side of a relationship does not go by itself: name both. */
export async function dropAttributes(step: ModelChange, attributes: readonly Attribute[]): Promise<void> {
  if (attributes.length === 0) return
  await forgetHistory(step, attributes)
  await forgetUniques(step, attributes)
  await step.control
    .deleteFrom('relata.attributes')
    .where('workspace_id', '=', step.model.workspace.id)
    .where(
      'id',
      'in',
      attributes.map(({ id }) => id),
    )
    .execute()
  for (const attribute of attributes) {
    const owner = ownerOf(step.model, attribute)
    const statement = dropColumns(owner.table, attributeColumns(owner, attribute).columns)
    if (statement !== '') await step.tx.unsafe(statement)
  }
}

/** An owner with all its holders and attributes. What refers to it from elsewhere is the caller's to remove first. */
export async function dropOwner(step: ModelChange, owner: Owner): Promise<void> {
  const { tx, control, model } = step
  await forgetHistory(step, owner.attributes)
  await forgetUniques(step, owner.attributes)
  await tx.unsafe(`delete from ${model.schema}.merges where new_id in (select id from ${owner.table})`)
  await control
    .deleteFrom('relata.owners')
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', owner.id)
    .execute()
  await tx.unsafe(dropTable(owner.table))
}

/** Unique values, which are kept under the attributes' numbers. */
export async function forgetUniques({ tx, model }: ModelChange, attributes: readonly Attribute[]): Promise<void> {
  await tx.unsafe(`delete from ${model.schema}.uniques where attribute = any($1::int[])`, [numbersOf(attributes)])
}

/** Ended values, kept the same way. */
async function forgetHistory({ tx, model }: ModelChange, attributes: readonly Attribute[]): Promise<void> {
  await tx.unsafe(`delete from ${model.schema}.history where attribute = any($1::int[])`, [numbersOf(attributes)])
}

const numbersOf = (attributes: readonly Attribute[]): string => `{${attributes.map(({ number }) => number).join(',')}}`

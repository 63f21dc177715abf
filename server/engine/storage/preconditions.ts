/**
 * The preconditions of every write of entities: the data model still has the version that the write was computed with, and
 * the records that it refers to exist and are locked until it commits.
 *
 * One statement can check the model version safely: a change of the model that concerns writers locks the entity type's
 * table against them, so a statement that has its own lock on the table sees the version that such a change committed.
 */

import { renderArray, type Sql, type Transaction } from '#db/connect'
import type { Stored } from '#engine/attribute-types/define'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { storesReferences } from './layout'
import { type Placeholder, type ParameterTexts, typedParam } from './statement'

/** A statement wrote nothing, because the data model, the entity or a target changed after the write was computed. */
export class VersionConflict extends Error {}

/** Records that a write refers to. They must exist, and cannot be deleted until it commits. */
export interface ReferenceTargets {
  readonly table: string
  readonly ids: readonly string[]
}

/** The step `preconditions_met` has one row if the data model has the expected version, every target exists and `conditions` hold, else none. */
export function preconditions(
  param: Placeholder,
  { schema }: DataModel,
  targets: readonly ReferenceTargets[],
  conditions: readonly string[] = [],
): string[] {
  const current = `select 1 from ${schema}.model where version = ${typedParam(param, 'model_version', 'int')}`
  const locked = targets.map(({ table }, index) => {
    return `target_${index} as (select 1 from ${table} where id = any(${typedParam(param, `target_${index}`, 'uuid[]')}) for key share)`
  })
  const found = targets.map((_, index) => {
    return ` and (select count(*) from target_${index}) = ${typedParam(param, `targets_${index}`, 'int')}`
  })
  const further = conditions.map((condition) => ` and ${condition}`)
  return [...locked, `preconditions_met as (${current}${[...found, ...further].join('')})`]
}

export function preconditionTexts(model: DataModel, targets: readonly ReferenceTargets[]): ParameterTexts {
  const texts: Record<string, string> = { model_version: String(model.version) }
  targets.forEach(({ ids }, index) => {
    texts[`target_${index}`] = renderArray(ids)
    texts[`targets_${index}`] = String(ids.length)
  })
  return texts
}

/** Whether the data model has the version of the workspace. */
export async function isModelCurrent(db: Sql | Transaction, { schema, version }: DataModel): Promise<boolean> {
  const query = `select 1 from ${schema}.model where version = $1`
  const rows = await db.unsafe(query, [version], { prepare: true })
  return rows.length > 0
}

/** The part of a statement's shape that targets decide. */
export const targetTablesOf = (targets: readonly ReferenceTargets[]): string =>
  targets.map(({ table }) => table).join(',')

/** Joins targets of the same table. */
export function joinTargets(all: readonly ReferenceTargets[]): ReferenceTargets[] {
  const joined = new Map<string, Set<string>>()
  for (const { table, ids } of all) joined.set(table, new Set([...(joined.get(table) ?? []), ...ids]))
  return [...joined].map(([table, ids]) => ({ table, ids: [...ids] }))
}

/** The records that values refer to, by table, each once. Throws `VersionConflict` for an object that the model lacks. */
export function referenceTargetsOf(
  model: DataModel,
  assignments: readonly { readonly attribute: Attribute; readonly values: readonly Stored[] }[],
): ReferenceTargets[] {
  const ids = new Map<string, Set<string>>()
  for (const { attribute, values } of assignments) {
    if (!storesReferences(attribute)) continue
    for (const { target_object, target_record_id } of values) {
      const table = model.entityTypesByNumber.get(Number(target_object))?.table
      if (table === undefined) throw new VersionConflict()
      ids.set(table, (ids.get(table) ?? new Set()).add(String(target_record_id)))
    }
  }
  return [...ids].map(([table, found]) => ({ table, ids: [...found] }))
}

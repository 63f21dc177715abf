/**
 * The preconditions of every write of entities: the data model still has the version that the write was computed with, and
 * the records that it refers to exist and are locked until it commits.
 *
 * One statement can check the model version safely: a change of the model that concerns writers locks the entity type's
 * table against them, so a statement that has its own lock on the table sees the version that such a change committed.
 */

import { errorCodeOf } from '#base/logging/log-error'
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

/** A statement that writes entities, with what belongs to them, or nothing. */
interface Write {
  readonly model: DataModel
  readonly targets: readonly ReferenceTargets[]
  /** Statements that read before the entities are written, with the number of rows that each must find. */
  readonly before?: readonly (Step & { readonly count: string })[]
  /** Inserts or updates the entities. */
  readonly written: string
  /** SQL of the number of entities. */
  readonly count: string
  /** A step that runs after the entities are written and before the further steps. */
  readonly after?: readonly Step[]
  /** Common table expressions that insert what belongs to the entities. */
  readonly further: readonly string[]
  /** What the statement returns of the step `written`. */
  readonly answer: '*' | 'count(*)::int'
}

export interface Step {
  readonly name: string
  readonly text: string
}

/**
 * The text of a statement that undoes itself with an error unless the data model has the expected version, every target exists, the
 * steps before have their rows, and all entities were written. PostgreSQL runs the steps that the condition names in the order of the
 * condition, and then the others. The steps read nothing of each other, so Citus sends each of them to the node of the workspace
 * alone. See docs/decisions/writes.md.
 */
export function writeText(param: Placeholder, write: Write): string {
  const { model, targets, before = [], written, count, after = [], further, answer } = write
  const version = typedParam(param, 'model_version', 'int')
  const current = { name: 'model', text: `select 1 from ${model.schema}.model where version = ${version}`, count: '1' }
  const locked = targets.map(({ table }, index) => ({
    name: `target_${index}`,
    text: `select 1 from ${table} where id = any(${typedParam(param, `target_${index}`, 'uuid[]')}) for key share`,
    count: typedParam(param, `targets_${index}`, 'int'),
  }))
  const counted = [current, ...locked, ...before, { name: 'written', text: written, count }]
  // Citus would read what is not materialized after it has written the entities, and find them.
  const isRead = (step: Step) => before.some(({ name }) => name === step.name)
  const steps = [...counted, ...after].map(
    (step) => `${step.name} as ${isRead(step) ? 'materialized ' : ''}(${step.text})`,
  )
  const conditions = [
    ...counted.map(({ name, count }) => `(select count(*) from ${name}) = ${count}`),
    ...after.map(({ name }) => `(select count(*) from ${name}) >= 0`),
  ]
  return `with ${[...steps, ...further].join(', ')} select ${answer} from written
    where ${conditions.join(' and ')} or relata.write_conflict(${version})`
}

/** A `VersionConflict` if the statement has undone itself, else the error. */
export const asVersionConflict = (error: unknown): unknown =>
  errorCodeOf(error) === WRITE_CONFLICT ? new VersionConflict() : error

/** The code of the error of `relata.write_conflict`. */
const WRITE_CONFLICT = '40R01'

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

/** Until the transaction ends, the data model stays as it is. Throws `VersionConflict` if it has changed already. */
export async function holdModel(tx: Transaction, { schema, version }: DataModel): Promise<void> {
  const query = `select 1 from ${schema}.model where version = $1 for share`
  const rows = await tx.unsafe(query, [version], { prepare: true })
  if (rows.length === 0) throw new VersionConflict()
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

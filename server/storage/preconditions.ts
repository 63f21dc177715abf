/**
 * What every write of entities begins with: the data model must still be the one it was computed with, and the records it
 * refers to must exist and go on to.
 *
 * The model check is safe in one statement: a change of the model that matters to writers locks the entity type's table against
 * them, so a statement that got its own lock on the table sees the version such a change committed.
 */

import type { DataModel } from '../data-model/model'
import { type At, type ParameterTexts, typed } from './statement'

/** Records that a write refers to: they must exist, and are kept from being deleted until it is through. */
export interface ReferenceTargets {
  readonly table: string
  readonly ids: readonly string[]
}

/** `go` has one row when the data model has the expected version, every target exists and the further conditions hold, else none. */
export function preconditions(
  at: At,
  targets: readonly ReferenceTargets[],
  conditions: readonly string[] = [],
): string[] {
  const current = `select 1 from relata.workspaces
    where id = ${typed(at, 'workspace', 'uuid')} and data_model_version = ${typed(at, 'model_version', 'int')}`
  const locked = targets.map(({ table }, index) => {
    return `target_${index} as (select 1 from ${table} where id = any(${typed(at, `target_${index}`, 'uuid[]')}) for key share)`
  })
  const found = targets.map((_, index) => {
    return ` and (select count(*) from target_${index}) = ${typed(at, `targets_${index}`, 'int')}`
  })
  const further = conditions.map((condition) => ` and ${condition}`)
  return [...locked, `go as (${current}${[...found, ...further].join('')})`]
}

export function preconditionTexts(model: DataModel, targets: readonly ReferenceTargets[]): ParameterTexts {
  const texts: Record<string, string> = { workspace: model.workspace.id, model_version: String(model.version) }
  targets.forEach(({ ids }, index) => {
    texts[`target_${index}`] = `{${ids.join(',')}}`
    texts[`targets_${index}`] = String(ids.length)
  })
  return texts
}

/** What of them decides about the text of a statement. */
export const tablesOf = (targets: readonly ReferenceTargets[]): string => targets.map(({ table }) => table).join(',')

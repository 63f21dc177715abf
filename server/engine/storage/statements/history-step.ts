/** The step of an update that inserts the values it ends into the history. */

import type { DataModel } from '#engine/data-model/model'
import type { EndedValue } from '#engine/storage/entity-change'
import { type Placeholder, type ParameterTexts, statementText, typedParam } from '#engine/storage/statement'

const COLUMNS = [
  ['attribute', 'int'],
  ['active_from', 'timestamptz'],
  ['active_until', 'timestamptz'],
  ['actor', 'int'],
  ['mirrored', 'boolean'],
  ['value', 'jsonb'],
  ['ended_by', 'int'],
] as const

const COLUMNS_OF_MANY = [['entity_id', 'uuid'], ...COLUMNS] as const

/** Part of the shape of a statement. */
export type HistoryShape = 'none' | 'one' | 'many'

export const historyShape = (ended: readonly EndedValue[]): HistoryShape =>
  ended.length === 0 ? 'none' : ended.length === 1 ? 'one' : 'many'

/**
 * `id` is SQL of the entity's id. No step without ended values; no effect unless the step `written` has a row. Each column of a single
 * value is a parameter of its own, which costs PostgreSQL less than `unnest`. See docs/decisions/writes.md.
 */
export function historySteps(param: Placeholder, model: DataModel, id: string, ended: readonly EndedValue[]): string[] {
  const shape = historyShape(ended)
  if (shape === 'none') return []
  const names = COLUMNS.map(([name]) => name).join(', ')
  const parameter = (name: string, type: string) => typedParam(param, `ended_${name}`, type)
  const rows =
    shape === 'one'
      ? `${COLUMNS.map(([name, type]) => parameter(name, type)).join(', ')} from written`
      : `e.* from written, unnest(${COLUMNS.map(([name, type]) => parameter(name, `${type}[]`)).join(', ')}) as e(${names})`
  return [`ended as (insert into ${model.schema}.history (entity_id, ${names}) select ${id}, ${rows})`]
}

/** The same for many entities, each with any number of ended values. No effect unless the step `preconditions_met` has a row. */
export function endedOfManySteps(param: Placeholder, model: DataModel, hasEnded: boolean): string[] {
  if (!hasEnded) return []
  const names = COLUMNS_OF_MANY.map(([name]) => name).join(', ')
  const arrays = COLUMNS_OF_MANY.map(([name, type]) => typedParam(param, `ended_${name}`, `${type}[]`)).join(', ')
  return [
    `ended as (insert into ${model.schema}.history (${names}) select e.* from preconditions_met, unnest(${arrays}) as e)`,
  ]
}

export const endedOfManyTexts = (ended: readonly EndedValue[]): ParameterTexts =>
  Object.fromEntries(
    COLUMNS_OF_MANY.map(([name]) => [
      `ended_${name}`,
      statementText(ended.map((endedValue) => statementText(endedValue[name]))),
    ]),
  )

export function historyTexts(ended: readonly EndedValue[]): ParameterTexts {
  const [first, ...others] = ended
  if (!first) return {}
  const textIn = (name: (typeof COLUMNS)[number][0]) =>
    statementText(others.length === 0 ? first[name] : ended.map((endedValue) => statementText(endedValue[name])))
  return Object.fromEntries(COLUMNS.map(([name]) => [`ended_${name}`, textIn(name)]))
}

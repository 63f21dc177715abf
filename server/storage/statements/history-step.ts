/** The step of an update that inserts the values it ends into the history. */

import type { DataModel } from '../../data-model/model'
import type { EndedValue } from '../entity-change'
import { type Placeholder, type ParameterTexts, textOf, typedParam } from '../statement'

const COLUMNS = [
  ['attribute', 'int[]'],
  ['active_from', 'timestamptz[]'],
  ['active_until', 'timestamptz[]'],
  ['actor', 'int[]'],
  ['mirrored', 'boolean[]'],
  ['value', 'jsonb[]'],
  ['ended_by', 'int[]'],
] as const

/** `id` is SQL of the entity's id. No step without ended values; no effect unless the step `written` has a row. */
export function historySteps(param: Placeholder, model: DataModel, id: string, ended: readonly EndedValue[]): string[] {
  if (ended.length === 0) return []
  const names = COLUMNS.map(([name]) => name).join(', ')
  const lists = COLUMNS.map(([name, type]) => typedParam(param, `ended_${name}`, type)).join(', ')
  return [
    `ended as (insert into ${model.schema}.history (entity_id, ${names})
      select ${id}, e.* from written, unnest(${lists}) as e(${names}))`,
  ]
}

export function historyTexts(ended: readonly EndedValue[]): ParameterTexts {
  if (ended.length === 0) return {}
  const listOf = (name: (typeof COLUMNS)[number][0]) => textOf(ended.map((datedValue) => textOf(datedValue[name])))
  return Object.fromEntries(COLUMNS.map(([name]) => [`ended_${name}`, listOf(name)]))
}

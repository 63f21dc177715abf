/** The step of a statement that takes the unique keys of new entities. It fails when another entity has one of them. */

import type { DataModel } from '../../data-model/model'
import { type At, type ParameterTexts, textOf, typed } from '../statement'
import type { UniqueKey } from '../unique-keys'

/** A key and who takes it. */
export type OwnedKey = UniqueKey & { readonly entity_id: string }

const COLUMNS = [
  ['attribute', 'int[]'],
  ['key', 'text[]'],
  ['entity_id', 'uuid[]'],
] as const

/** None when there are no keys. Nothing happens unless the step `go` has a row. */
export function keySteps(at: At, model: DataModel, keys: readonly OwnedKey[]): string[] {
  if (keys.length === 0) return []
  const lists = COLUMNS.map(([name, type]) => typed(at, `key_${name}`, type)).join(', ')
  return [
    `taken as (insert into ${model.schema}.uniques (attribute, key, entity_id)
      select k.* from go, unnest(${lists}) as k)`,
  ]
}

export const keyTexts = (keys: readonly OwnedKey[]): ParameterTexts =>
  Object.fromEntries(COLUMNS.map(([name]) => [`key_${name}`, textOf(keys.map((key) => key[name]))]))

/** The steps of statements that insert and delete unique keys. An insert fails when another entity has one of the keys. */

import type { DataModel } from '#engine/data-model/model'
import { type Placeholder, type ParameterTexts, statementText, typedParam } from '#engine/storage/statement'
import type { UniqueKey } from '#engine/storage/unique-keys'

/** A key with its entity. */
export type OwnedKey = UniqueKey & { readonly entity_id: string }

const COLUMNS = [
  ['attribute', 'int[]'],
  ['key', 'text[]'],
  ['entity_id', 'uuid[]'],
] as const

/** Inserts the keys of new entities. No step without keys; no effect unless the step `preconditions_met` has a row. */
export function keySteps(param: Placeholder, model: DataModel, keys: readonly OwnedKey[]): string[] {
  if (keys.length === 0) return []
  const lists = COLUMNS.map(([name, type]) => typedParam(param, `key_${name}`, type)).join(', ')
  return [
    `added as (insert into ${model.schema}.uniques (attribute, key, entity_id)
      select k.* from preconditions_met, unnest(${lists}) as k)`,
  ]
}

export const keyTexts = (keys: readonly OwnedKey[]): ParameterTexts => textsNamed('key', keys)

const textsNamed = (prefix: string, keys: readonly OwnedKey[]): ParameterTexts =>
  Object.fromEntries(COLUMNS.map(([name]) => [`${prefix}_${name}`, statementText(keys.map((key) => key[name]))]))

/**
 * Takes keys from entities, and gives keys to entities, also those that it takes. No effect unless the step `preconditions_met`
 * has a row. Counting the removed keys makes PostgreSQL remove all of them before it adds the first one.
 */
export function moveKeySteps(
  param: Placeholder,
  model: DataModel,
  removed: readonly OwnedKey[],
  added: readonly OwnedKey[],
): string[] {
  const table = `${model.schema}.uniques`
  const listsOf = (prefix: string) => COLUMNS.map(([name, type]) => typedParam(param, `${prefix}_${name}`, type))
  const steps: string[] = []
  if (removed.length > 0) {
    const [attributes, keys, ids] = listsOf('removed')
    steps.push(`removed as (delete from ${table} u
      using preconditions_met, unnest(${attributes}, ${keys}, ${ids}) as k(attribute, key, entity_id)
      where u.attribute = any(${attributes}) and u.key = any(${keys})
        and u.attribute = k.attribute and u.key = k.key and u.entity_id = k.entity_id returning 1)`)
  }
  if (added.length > 0) {
    const after = removed.length > 0 ? ', (select count(*) from removed) as removal' : ''
    steps.push(`added as (insert into ${table} (attribute, key, entity_id)
      select k.* from preconditions_met, unnest(${listsOf('added').join(', ')}) as k${after})`)
  }
  return steps
}

export const moveKeyTexts = (removed: readonly OwnedKey[], added: readonly OwnedKey[]): ParameterTexts => ({
  ...textsNamed('removed', removed),
  ...textsNamed('added', added),
})

/** The keys that an update takes from its entity, and those that it gives to it. */
export interface KeyChange {
  readonly removed: readonly UniqueKey[]
  readonly added: readonly UniqueKey[]
}

/** Changes the keys of the entity `id`, which is SQL. No effect unless the step `written` has a row. */
export function keyChangeSteps(
  param: Placeholder,
  model: DataModel,
  id: string,
  { removed, added }: KeyChange,
): string[] {
  const steps: string[] = []
  if (removed.length > 0) {
    steps.push(`removed as (delete from ${model.schema}.uniques u using written, ${keysOf(param, 'removed')} as k(attribute, key)
      where u.attribute = k.attribute and u.key = k.key and u.entity_id = ${id})`)
  }
  if (added.length > 0) {
    steps.push(`added as (insert into ${model.schema}.uniques (attribute, key, entity_id)
      select k.attribute, k.key, ${id} from written, ${keysOf(param, 'added')} as k(attribute, key))`)
  }
  return steps
}

export const keyChangeTexts = ({ removed, added }: KeyChange): ParameterTexts => ({
  ...textsOf('removed', removed),
  ...textsOf('added', added),
})

const keysOf = (param: Placeholder, step: keyof KeyChange): string =>
  `unnest(${typedParam(param, `${step}_attribute`, 'int[]')}, ${typedParam(param, `${step}_key`, 'text[]')})`

function textsOf(step: keyof KeyChange, keys: readonly UniqueKey[]): ParameterTexts {
  if (keys.length === 0) return {}
  return {
    [`${step}_attribute`]: statementText(keys.map(({ attribute }) => attribute)),
    [`${step}_key`]: statementText(keys.map(({ key }) => key)),
  }
}

/**
 * Uniqueness: each value of a unique attribute is a row of the workspace's `uniques`, whose primary key lets exactly one
 * entity have it. See docs/reference/values.md (Unique values).
 */

import { sha256 } from '#base/text/sha256'
import type { Sql, Transaction } from '#db/connect'
import { attributeType } from '#engine/attribute-types/registry'
import type { Stored } from '#engine/attribute-types/define'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { uniquenessConflict } from '#base/errors/records'
import { asVersionConflict, type Step } from './preconditions'
import { type Placeholder, type ParameterTexts, statementText, typedParam } from './statement'

/** A value that only one entity may have, as a row of `uniques` holds it. */
export interface UniqueKey {
  readonly attribute: number
  readonly key: string
}

/** Longer keys do not fit PostgreSQL's index rows. Their hash replaces them. */
const MAX_PLAIN_KEY = 500

/** The form of a normalised key in the `uniques` table. */
export const storedKey = (key: string): string => (key.length <= MAX_PLAIN_KEY ? key : `sha256:${sha256(key)}`)

/** The keys of an attribute's values; none when it is not unique. */
export function uniqueKeys(attribute: Attribute, values: readonly Stored[]): UniqueKey[] {
  if (!attribute.is_unique || attribute.stored_in !== 'columns') return []
  const { key } = attributeType(attribute.type)
  return values.map((stored) => ({ attribute: attribute.number, key: storedKey(key(stored)) }))
}

/** A statement wrote nothing, because another entity has one of its unique keys. */
export class UniqueKeyConflict extends Error {
  constructor(
    readonly keys: readonly UniqueKey[],
    readonly entityId: string,
  ) {
    super('A unique key is taken.')
  }
}

/** A `UniqueKeyConflict` if a statement failed because of these keys, else the error itself. */
export const asUniqueKeyConflict = (error: unknown, keys: readonly UniqueKey[], entityId: string): unknown =>
  isUniquenessViolation(error) ? new UniqueKeyConflict(keys, entityId) : error

/** The conflict because of which a write failed, else the error itself. */
export const asWriteConflict = (error: unknown, keys: readonly UniqueKey[], entityId: string): unknown =>
  asUniqueKeyConflict(asVersionConflict(error), keys, entityId)

/**
 * Whether a failed statement violated the primary key of `uniques`. Citus forwards an error of a node without the name of the
 * constraint, and one of COPY with the code of an internal error. Translated messages have the name, too.
 */
const isUniquenessViolation = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === UNIQUE_VIOLATION || error.code === INTERNAL_ERROR) &&
  error.message.includes('uniques_pkey')

const [UNIQUE_VIOLATION, INTERNAL_ERROR] = ['23505', 'XX000']

/** The error for keys that entities other than `entityId` have; undefined if no other entity has them any more. */
export async function findConflict(
  sql: Sql | Transaction,
  model: DataModel,
  keys: readonly UniqueKey[],
  entityId: string,
) {
  const taken = await findTakenKeys(sql, model, keys)
  return conflictOf(
    model,
    taken.filter((row) => row.entity_id !== entityId),
    keys,
  )
}

/** A unique key with the entity that has it. */
export type TakenKey = UniqueKey & { readonly entity_id: string }

/** The keys among these that an entity has. */
export const findTakenKeys = async (
  sql: Sql | Transaction,
  { schema }: DataModel,
  keys: readonly UniqueKey[],
): Promise<readonly TakenKey[]> =>
  sql.unsafe<TakenKey[]>(
    `select u.attribute, u.key, u.entity_id from ${schema}.uniques u
     join rows from (json_to_recordset($1::text::json) as (attribute int, key text)) with ordinality as k(attribute, key, nth)
     using (attribute, key) order by k.nth`,
    [JSON.stringify(keys)],
  )

/** The error for `keys`, of which other entities have those of `taken`; undefined if they have none. */
export function conflictOf(model: DataModel, taken: readonly TakenKey[], keys: readonly UniqueKey[]) {
  const number = keys.find((key) => taken.some((row) => row.attribute === key.attribute))?.attribute
  if (number === undefined) return undefined
  const entities = new Set(taken.filter((row) => row.attribute === number).map((row) => row.entity_id))
  const slug = slugOf(model, number)
  return uniquenessConflict(slug, [...entities])
}

function slugOf(model: DataModel, number: number): string {
  for (const attribute of model.attributesById.values()) if (attribute.number === number) return attribute.api_slug
  throw new Error(`No attribute has number ${number}.`)
}

// The steps of statements that insert and delete unique keys. An insert fails when another entity has one of the keys.

/** A key with its entity. */
export type OwnedKey = UniqueKey & { readonly entity_id: string }

const KEY_COLUMNS = [
  ['attribute', 'int'],
  ['key', 'text'],
  ['entity_id', 'uuid'],
] as const

/** How many keys a step has: each part of a single key is a parameter, which costs PostgreSQL less than `unnest`. */
export type KeysShape = 'none' | 'one' | 'many'

export const keysShape = ({ length }: readonly UniqueKey[]): KeysShape =>
  length === 0 ? 'none' : length === 1 ? 'one' : 'many'

/** Inserts keys. No step without keys. */
export function keySteps(
  param: Placeholder,
  { schema }: DataModel,
  keys: readonly OwnedKey[],
  prefix: 'key' | 'added' = 'key',
): string[] {
  if (keys.length === 0) return []
  const parameters = (suffix: string) =>
    KEY_COLUMNS.map(([name, type]) => typedParam(param, `${prefix}_${name}`, `${type}${suffix}`)).join(', ')
  const rows = keys.length === 1 ? `values (${parameters('')})` : `select * from unnest(${parameters('[]')})`
  return [`added as (insert into ${schema}.uniques (attribute, key, entity_id) ${rows})`]
}

export const keyTexts = (keys: readonly OwnedKey[], prefix: 'key' | 'added' | 'removed' = 'key'): ParameterTexts => {
  const [only] = keys
  const textIn = (name: keyof OwnedKey) =>
    statementText(
      only !== undefined && keys.length === 1 && prefix !== 'removed' ? only[name] : keys.map((key) => key[name]),
    )
  return only === undefined ? {} : Object.fromEntries(KEY_COLUMNS.map(([name]) => [`${prefix}_${name}`, textIn(name)]))
}

/** The keys that a write takes from entities, and those that it gives to entities, also those that it takes. */
export interface KeyMoves {
  readonly removed: readonly OwnedKey[]
  readonly added: readonly OwnedKey[]
}

/** Deletes the removed keys, before a key is inserted. */
export function removedKeys(param: Placeholder, { schema }: DataModel, { removed }: KeyMoves): Step[] {
  if (removed.length === 0) return []
  const [attributes, keys, ids] = KEY_COLUMNS.map(([name, type]) => typedParam(param, `removed_${name}`, `${type}[]`))
  const text = `delete from ${schema}.uniques u using unnest(${attributes}, ${keys}, ${ids}) as k(attribute, key, entity_id)
      where u.attribute = any(${attributes}) and u.key = any(${keys})
        and u.attribute = k.attribute and u.key = k.key and u.entity_id = k.entity_id returning 1`
  return [{ name: 'removed', text }]
}

export const keyMoveTexts = ({ removed, added }: KeyMoves): ParameterTexts => ({
  ...keyTexts(removed, 'removed'),
  ...keyTexts(added, 'added'),
})

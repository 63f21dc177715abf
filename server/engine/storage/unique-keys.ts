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

/** Whether a failed statement violated the primary key of `uniques`. On a node of Citus, names of constraints end in a number. */
const isUniquenessViolation = (error: unknown): boolean =>
  error instanceof Error && 'constraint_name' in error && String(error.constraint_name).startsWith('uniques_pkey')

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
     join json_to_recordset($1::text::json) as k(attribute int, key text) using (attribute, key)`,
    [JSON.stringify(keys)],
  )

/** The error for `keys`, of which other entities have those of `taken`; undefined if they have none. */
export function conflictOf(model: DataModel, taken: readonly TakenKey[], keys: readonly UniqueKey[]) {
  const number = keys.find((key) => taken.some((row) => row.attribute === key.attribute))?.attribute
  if (number === undefined) return undefined
  const entities = new Set(taken.filter((row) => row.attribute === number).map((row) => row.entity_id))
  return uniquenessConflict(slugOf(model, number), [...entities])
}

function slugOf(model: DataModel, number: number): string {
  for (const attribute of model.attributesById.values()) if (attribute.number === number) return attribute.api_slug
  throw new Error(`No attribute has number ${number}.`)
}

/** Finds a record by its unique key, or creates it. */

import type { RequestContext } from '#context'
import type { Attribute, ObjectType } from '#engine/data-model/model'
import { completeAssignments, readAssignments } from '#engine/entities/write/parse-values'
import { createEntity } from '#engine/entities/write/create-entity'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { ApiError } from '#base/errors/api-error'
import { newId } from '#base/ids'
import { VersionConflict } from '#engine/storage/preconditions'
import { findByKeys } from '#engine/storage/statements/read-many-records'
import { UniqueKeyConflict } from '#engine/storage/unique-keys'
import { type ContactTypes, contactTypesOf } from './contact-types'

export interface Wanted {
  readonly object: (types: ContactTypes) => ObjectType
  readonly keyAttribute: (types: ContactTypes) => Attribute
  /** The record that has the first of them, or else another one, is found. */
  readonly keys: readonly string[]
  /** The values of a new record, as in a body. */
  readonly values: Readonly<Record<string, unknown>>
}

export const OVERWRITE_CONTACT = { member: 'values', appends: false } as const

/**
 * Returns the id of the record. When another writer creates it at the same time, the retry finds it. Undefined when the
 * workspace refuses the record, such as for a required attribute without a value.
 */
export async function findOrCreate(context: RequestContext, wanted: Wanted): Promise<string | undefined> {
  try {
    return await retryOnConflict(context, async (context, writeTry) => {
      const types = contactTypesOf(context.model)
      if (types === undefined) return undefined
      const object = wanted.object(types)
      const found = await findByKeys(context.db.sql, context.model, wanted.keyAttribute(types), wanted.keys)
      const key = wanted.keys.find((each) => found.has(each))
      if (key !== undefined) return found.get(key)
      const given = await readAssignments(context, object, wanted.values, OVERWRITE_CONTACT, writeTry)
      const assignments = await completeAssignments(context, object, given, writeTry)
      return await insert(context, object, assignments)
    })
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

async function insert(
  context: RequestContext,
  object: ObjectType,
  assignments: Awaited<ReturnType<typeof completeAssignments>>,
): Promise<string> {
  const id = newId()
  try {
    await createEntity(context, object, { id, assignments })
    return id
  } catch (error) {
    if (error instanceof UniqueKeyConflict) throw new VersionConflict()
    throw error
  }
}

/** Whether the same write would be refused again. */
export const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500

/** Makes assignments of the values of a body. */

import type { Sql, Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import { findAttribute } from '#engine/data-model/find'
import type { Attribute, EntityType } from '#engine/data-model/model'
import type { WriteTry } from './retry-on-conflict'
import { requireAll, withDefaults } from './defaults'
import { createRecordLookup } from '#engine/storage/find-records'
import { type Assignment, type ParseContext, parseValues } from './parse-values'
import { resolveAssignments } from './resolve-values'

/**
 * Parses the values of a body and looks up what they name. Throws the catalogue's 400s.
 * See docs/reference/values.md (The order of checks).
 */
export function readAssignments(
  { model, db }: RequestContext,
  entityType: EntityType,
  values: Readonly<Record<string, unknown>>,
  context: ParseContext,
  { assumeExists }: WriteTry,
  within: Sql | Transaction = db.sql,
): Promise<Assignment[]> {
  return resolveAssignments(
    model,
    parseValues(model, entityType, values, context),
    createRecordLookup(within, model, assumeExists),
  )
}

/** The attributes that a body names, even if the body is invalid. */
export const attributesNamed = (entityType: EntityType, values: Readonly<Record<string, unknown>>): Attribute[] =>
  Object.keys(values).flatMap((key) => findAttribute(entityType, key) ?? [])

/** Completes the assignments of a new entity with default values. Throws 400 for a required attribute without a value. */
export async function completeAssignments(
  context: RequestContext,
  entityType: EntityType,
  given: readonly Assignment[],
  { assumeExists }: WriteTry,
): Promise<Assignment[]> {
  const { model, actor, db } = context
  const creator = { actor, now: context.now() }
  const assignments = await withDefaults(
    model,
    entityType,
    given,
    creator,
    createRecordLookup(db.sql, model, assumeExists),
  )
  requireAll(model, entityType, assignments)
  return assignments
}

/** The given assignments, and the others of attributes that have no given one. */
export function mergeAssignments(given: readonly Assignment[], others: readonly Assignment[]): Assignment[] {
  const named = new Set(given.map(({ attribute }) => attribute))
  return [...given, ...others.filter(({ attribute }) => !named.has(attribute))]
}

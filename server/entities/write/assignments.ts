/** From the values of a body to what a write does to an entity. */

import type { Sql, Transaction } from '../../../db/connect'
import type { RequestContext } from '../../call'
import { findAttribute } from '../../data-model/find'
import type { Attribute, EntityType } from '../../data-model/model'
import type { WriteAttempt } from './retry-on-conflict'
import { requireAll, withDefaults } from './defaults'
import { recordLookup } from '../../storage/lookup'
import { type Assignment, type ParseContext, parseValues } from './parse-values'
import { resolveAssignments } from './resolve-values'

/**
 * What the body says, with everything it names looked up. Throws the catalogue's 400s.
 * See docs/reference/values.md (The order of checks).
 */
export function readAssignments(
  { model, db }: RequestContext,
  entityType: EntityType,
  values: Readonly<Record<string, unknown>>,
  context: ParseContext,
  { trusting }: WriteAttempt,
  within: Sql | Transaction = db.sql,
): Promise<Assignment[]> {
  return resolveAssignments(
    model,
    parseValues(model, entityType, values, context),
    recordLookup(within, model, trusting),
  )
}

/** The attributes a body names, whatever else is wrong with it. */
export const attributesNamed = (entityType: EntityType, values: Readonly<Record<string, unknown>>): Attribute[] =>
  Object.keys(values).flatMap((key) => findAttribute(entityType, key) ?? [])

/** What a new entity is to hold: what is given, and defaults for the rest. Throws 400 for what is required and missing. */
export async function completeAssignments(
  context: RequestContext,
  entityType: EntityType,
  given: readonly Assignment[],
  { trusting }: WriteAttempt,
): Promise<Assignment[]> {
  const { model, actor, db } = context
  const creator = { actor, now: context.now() }
  const assignments = await withDefaults(model, entityType, given, creator, recordLookup(db.sql, model, trusting))
  requireAll(model, entityType, assignments)
  return assignments
}

/** Those given, and of the others those whose attributes are not given, be it by slug or by id. */
export function givenFirst(given: readonly Assignment[], others: readonly Assignment[]): Assignment[] {
  const named = new Set(given.map(({ attribute }) => attribute))
  return [...given, ...others.filter(({ attribute }) => !named.has(attribute))]
}

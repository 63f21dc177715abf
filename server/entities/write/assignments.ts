/** From the values of a body to what a write does to a holder. */

import type { Sql, Transaction } from '../../../db/connect'
import type { Call } from '../../call'
import { findAttribute } from '../../data-model/find'
import type { Attribute, Owner } from '../../data-model/model'
import type { Round } from './retry-on-conflict'
import { requireAll, withDefaults } from './defaults'
import { recordLookup } from '../read/lookup'
import { type Assignment, type ParseContext, parseValues } from './parse-values'
import { resolveAssignments } from './resolve-values'

/** What the body says, with everything it names looked up. Throws the catalogue's 400s. Spec: values 3, steps 3 to 6. */
export function readAssignments(
  { model, db }: Call,
  owner: Owner,
  values: Readonly<Record<string, unknown>>,
  context: ParseContext,
  { trusting }: Round,
  within: Sql | Transaction = db.sql,
): Promise<Assignment[]> {
  return resolveAssignments(model, parseValues(model, owner, values, context), recordLookup(within, model, trusting))
}

/** The attributes a body names, whatever else is wrong with it. */
export const attributesNamed = (owner: Owner, values: Readonly<Record<string, unknown>>): Attribute[] =>
  Object.keys(values).flatMap((key) => findAttribute(owner, key) ?? [])

/** What a new holder is to hold: what is given, and defaults for the rest. Throws 400 for what is required and missing. */
export async function completeAssignments(
  call: Call,
  owner: Owner,
  given: readonly Assignment[],
  { trusting }: Round,
): Promise<Assignment[]> {
  const { model, actor, db } = call
  const creator = { actor, now: call.now() }
  const assignments = await withDefaults(model, owner, given, creator, recordLookup(db.sql, model, trusting))
  requireAll(model, owner, assignments)
  return assignments
}

/** Those given, and of the others those whose attributes are not given, be it by slug or by id. */
export function givenFirst(given: readonly Assignment[], others: readonly Assignment[]): Assignment[] {
  const named = new Set(given.map(({ attribute }) => attribute))
  return [...given, ...others.filter(({ attribute }) => !named.has(attribute))]
}

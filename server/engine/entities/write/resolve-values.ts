/**
 * Looks up the options, statuses, members and records that parsed values name.
 * See docs/reference/values.md (The order of checks).
 */

import type { RecordLookup, Stored } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel } from '#engine/data-model/model'
import type { Assignment, ParsedAssignment } from './parse-values'

/** Converts parsed to stored values, in the order of the attributes. Throws the catalogue's 400s. */
export async function resolveAssignments(
  model: DataModel,
  parsed: readonly ParsedAssignment[],
  lookup: RecordLookup,
): Promise<Assignment[]> {
  const assignments: Assignment[] = []
  for (const { attribute, values } of parsed) {
    assignments.push({ attribute, values: await resolveEach(model, attribute, values, lookup) })
  }
  return assignments
}

/** Converts the parsed values of one attribute to stored values. */
export async function resolveEach(
  model: DataModel,
  attribute: Attribute,
  parsed: readonly unknown[],
  lookup: RecordLookup,
): Promise<Stored[]> {
  const { resolve } = attributeType(attribute.type)
  if (!resolve) return parsed as Stored[] // without `resolve`, parsing gives the stored form
  const stored: Stored[] = []
  for (const value of parsed) stored.push(await resolve(value, attribute, model, lookup))
  return stored
}

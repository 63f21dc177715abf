/**
 * One value from a body: short form to full form, checked against its type's schema, normalised.
 * See docs/reference/values.md (The order of checks, Types at a glance).
 */

import type { Attribute, DataModel } from '../../data-model/model'
import type { TypeName } from '../../data-model/type-names'
import { InvalidValue, invalidValue, type ValidationIssue } from '../../errors/api-error'
import { matchingAttributeNotUnique } from '../../errors/records'
import { compileCheck } from '../../validation/compile-check'
import type { MatchingKey, Stored } from '../define'
import { attributeType, attributeTypes } from '../registry'

type Check = (value: unknown) => ValidationIssue[]

const checks = Object.fromEntries(
  Object.entries(attributeTypes).map(([name, { input }]) => [name, compileCheck(input)]),
) as Readonly<Record<TypeName, Check>> // the names are those of the registry

/**
 * What the attribute's type makes of a raw value; undefined means "no value". With a `resolve`, the type still has to
 * look up what the value refers to; otherwise this is the stored form. Throws `InvalidValue`, its paths relative to the
 * value.
 */
export function parseValue(raw: unknown, attribute: Attribute, model: DataModel): unknown {
  const type = attributeType(attribute.type)
  const input = type.shorthand(raw, attribute, model)
  const issues = checks[attribute.type](input)
  if (issues.length > 0) throw new InvalidValue(issues)
  return type.parse(input, attribute, model, matchingKey)
}

/** The key by which a unique attribute finds its record. Throws `InvalidValue`, and 400 for other attributes. */
export const matchingKey: MatchingKey = (raw, attribute, model) => {
  const type = attributeType(attribute.type)
  if (!attribute.is_unique || !type.allows.match) throw matchingAttributeNotUnique(attribute.api_slug)
  const stored = parseValue(raw, attribute, model)
  if (stored === undefined) throw invalidValue('A record cannot be found by an empty value.')
  return type.key(stored as Stored) // types that match have no `resolve`, so parsing gives the stored form
}

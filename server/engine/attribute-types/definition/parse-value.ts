/**
 * Parses one value of a body: converts it to the full form, checks it against the type's schema and normalises it.
 * See docs/reference/values.md (The order of checks, Types at a glance).
 */

import type { Attribute, DataModel } from '#engine/data-model/model'
import type { TypeName } from '#vocabulary/data-model'
import { InvalidValue, invalidValue, type ValidationIssue } from '#base/errors/api-error'
import { matchingAttributeNotUnique } from '#base/errors/records'
import { compileCheck } from '#base/validation/compile-check'
import type { MatchingKey, Stored } from '#engine/attribute-types/define'
import { attributeType, attributeTypes } from '#engine/attribute-types/registry'

type Check = (value: unknown) => ValidationIssue[]

const checks = Object.fromEntries(
  Object.entries(attributeTypes).map(([name, { input }]) => [name, compileCheck(input)]),
) as Readonly<Record<TypeName, Check>> // the names are those of the registry

/**
 * Parses a raw value by the attribute's type; undefined means "no value". The result is the stored form, unless the type
 * has a `resolve`. Throws `InvalidValue` with paths relative to the value.
 */
export function parseValue(raw: unknown, attribute: Attribute, model: DataModel): unknown {
  const type = attributeType(attribute.type)
  const input = type.shorthand(raw, attribute, model)
  const issues = checks[attribute.type](input)
  if (issues.length > 0) throw new InvalidValue(issues)
  return type.parse(input, attribute, model, matchingKey)
}

/** The key of a raw value of a matching attribute. Throws `InvalidValue`, and 400 for other attributes. */
export const matchingKey: MatchingKey = (raw, attribute, model) => {
  const type = attributeType(attribute.type)
  if (!attribute.is_unique || !type.allows.match) throw matchingAttributeNotUnique(attribute.api_slug)
  const stored = parseValue(raw, attribute, model)
  if (stored === undefined) throw invalidValue('A record cannot be found by an empty value.')
  return type.key(stored as Stored) // types that match have no `resolve`, so parsing gives the stored form
}

/**
 * Resolves a parsed filter to conditions on the attributes of a workspace.
 * See docs/reference/query.md (Filters, Paths, Errors of queries).
 */

import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { filterError, invalidFilterField, invalidFilterOperator, unknownFilterAttribute } from '#base/errors/queries'
import type { Comparison, Condition } from './condition'
import {
  type Filter,
  type FilterCondition,
  type JsonPath,
  parseConstraint,
  type ParsedComparison,
  type SourceValue,
  type FilterTarget,
} from '#engine/query/parse/parse-filter'
import { getSearchable, type ResolvedPath, resolvePath } from './resolve-path'
import type { Property } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { InvalidValue } from '#base/errors/api-error'

/** Throws the errors of docs/reference/query.md (Errors of queries), with their paths inside the filter. */
export function resolveFilter(model: DataModel, entityType: EntityType, filter: Filter): Condition {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return { kind: filter.kind, of: filter.of.map((each) => resolveFilter(model, entityType, each)) }
    case 'not':
      return { kind: 'not', of: resolveFilter(model, entityType, filter.of) }
    case 'condition':
      return resolveCondition(model, entityType, filter)
  }
}

function resolveCondition(
  model: DataModel,
  entityType: EntityType,
  { target, constraint }: FilterCondition,
): Condition {
  const { steps, attribute } = resolveTarget(model, entityType, target)
  const comparisons = resolveComparisons(model, attribute, constraint)
  return steps.reduceRight<Condition>((condition, step) => ({ kind: 'reference', step, condition }), {
    kind: 'value',
    attribute,
    comparisons,
  })
}

function resolveTarget(model: DataModel, entityType: EntityType, target: FilterTarget): ResolvedPath {
  const { path } = target
  if ('segments' in target) return resolvePath(model, entityType, target.segments, path, unknownFilterAttribute)
  const { attribute } = target
  const unknown = (didYouMean?: string) => unknownFilterAttribute(attribute, [...path], didYouMean)
  return { steps: [], attribute: getSearchable(model, entityType, attribute, unknown) }
}

/**
 * Resolves constraints to comparisons with the properties of the attribute's type.
 * See docs/reference/query.md (Operators, Fields by type, Errors of queries).
 */
const MAX_OPERANDS = 500

/** Throws 400 for an unknown field or operator, and for an operand that the attribute's type refuses. */
function resolveComparisons(model: DataModel, attribute: Attribute, constraint: SourceValue): Comparison[] {
  const parsed = parseConstraint(constraint)
  const comparisons = parsed.map((each) => resolveComparison(model, attribute, each))
  requireTogether(attribute, parsed, constraint.path)
  return comparisons
}

function resolveComparison(model: DataModel, attribute: Attribute, written: ParsedComparison): Comparison {
  const { field, operator, operand } = written
  if (operator === '$not_empty' && field === null) return present(null, operand)
  const property = getProperty(attribute, written)
  if (!property.operators.includes(operator)) throw invalidFilterOperator(operator, [...operand.path])
  if (operator === '$not_empty') return present(property, operand)
  const read = <T>(make: (raw: unknown) => T, { raw, path }: SourceValue): T => orFilterError(path, () => make(raw))
  switch (property.source) {
    case 'active_from':
      return {
        kind: 'since',
        operator,
        instant: read((raw) => property.operand(raw, attribute, model, operator), operand),
      }
    case 'numbers': {
      const numbers = read((raw) => property.operand(raw, attribute, model, operator), operand)
      return { kind: 'numbers', property, numbers }
    }
    case 'column': {
      const make = (raw: unknown) => property.operand(raw, attribute, model, operator)
      if (operator !== '$in') return { kind: 'compare', property, operator, operand: read(make, operand) }
      return { kind: 'in', property, operands: inOperands(operand).map((each) => read(make, each)) }
    }
  }
}

function present(property: Property | null, { raw, path }: SourceValue): Comparison {
  if (raw === true) return { kind: 'present', property }
  throw filterError('The operand of $not_empty is true; use $not for the opposite.', [...path])
}

/** The property that the field names, or the default one. */
function getProperty({ type, api_slug }: Attribute, { field, operand, path }: ParsedComparison): Property {
  const { properties, defaultProperty } = attributeType(type)
  const name = field ?? defaultProperty
  if (name === null) {
    const fields = Object.keys(properties).join(', ')
    throw filterError(`Name a field of attribute "${api_slug}": ${fields}.`, [...operand.path])
  }
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (!property) throw invalidFilterField(name, type, [...path])
  return property
}

/** Throws when a property is compared without the other one that it belongs to. */
function requireTogether({ type }: Attribute, parsed: readonly ParsedComparison[], path: JsonPath): void {
  const compared = parsed.filter(({ operator }) => operator !== '$not_empty')
  for (const { field } of compared) {
    const other = attributeType(type).properties[field ?? '']?.together
    if (other === undefined || compared.some((each) => each.field === other)) continue
    throw filterError(`"${field}" is compared only together with "${other}".`, [...path])
  }
}

function inOperands({ raw, path }: SourceValue): SourceValue[] {
  if (!Array.isArray(raw)) throw filterError('The operand of $in is an array.', [...path])
  if (raw.length > MAX_OPERANDS) throw filterError(`$in takes at most ${MAX_OPERANDS} operands.`, [...path])
  return raw.map((each, index) => ({ raw: each, path: [...path, String(index)] }))
}

function orFilterError<T>(path: JsonPath, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
    throw filterError(`${error.message}.`.replace(/\.\.$/, '.'), [...path])
  }
}

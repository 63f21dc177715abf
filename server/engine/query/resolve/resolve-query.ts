/** Resolves the body of a query: its filter, its sorts and its page. */

import { isObject } from '#base/validation/shapes'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import type { Condition, Comparison } from './condition'
import {
  parseFilter,
  type Filter,
  type FilterCondition,
  type JsonPath,
  parseConstraint,
  type ParsedComparison,
  type SourceValue,
  type FilterTarget,
} from '#engine/query/parse/parse-filter'
import { pageOf, type QueryBody, type SortInput } from '#engine/query/parse/schemas'
import { unknownAttributeKey } from '#base/errors/records'
import { compileRenderer, type Renderer, rendererOf } from '#engine/entities/read/render'
import { type RelativeContext, resolveRelative } from './relative'
import { turnAround } from './clock-comparison'
import { findSearchable, getSearchable, type ResolvedPath, resolvePath } from './resolve-path'
import type { Property } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import {
  filterError,
  invalidFilterField,
  missingSortField,
  invalidFilterOperator,
  unknownFilterAttribute,
} from '#base/errors/queries'
import { findList, findObject } from '#engine/data-model/find'
import { InvalidValue } from '#base/errors/api-error'

export interface Query {
  readonly condition: Condition
  readonly sorts: readonly Sort[]
  readonly limit: number
  readonly offset: number
}

/** `filter` is the filter of the body, or of the view that the body names. */
export const resolveQuery = (
  model: DataModel,
  entityType: EntityType,
  { filter = {}, sorts = [], ...page }: Omit<QueryBody, 'filter'> & { readonly filter?: unknown },
  relativeContext: RelativeContext,
): Query => ({
  condition: resolveFilter({ model, relativeContext }, entityType, parseFilter(filter)),
  sorts: resolveSorts(model, entityType, sorts),
  ...pageOf(page),
})

// The attributes that the response to a query contains.

/** Renders the named attributes, or all. Throws 400 for a name that is not an attribute. */
export function projectionOf(
  model: DataModel,
  entityType: EntityType,
  fields: readonly string[] | undefined,
): Renderer {
  if (fields === undefined) return rendererOf(model, entityType)
  const attributes = fields.map((field) =>
    getSearchable(model, entityType, field, (didYouMean) => unknownAttributeKey(field, didYouMean)),
  )
  return compileRenderer(model, entityType, [...new Set(attributes)])
}

/** Resolves the sorts of a query. See docs/reference/query.md (Sorts, Errors of queries). */
export interface Sort extends ResolvedPath {
  readonly direction: 'asc' | 'desc'
  /** Null for the label of the record that is referred to. */
  readonly property: Property | null
}

const MAX_SORTS = 5

/** The paths of its errors begin at the array of sorts. */
function resolveSorts(model: DataModel, entityType: EntityType, sorts: readonly SortInput[]): Sort[] {
  if (sorts.length > MAX_SORTS) throw filterError(`A query has at most ${MAX_SORTS} sorts.`)
  return sorts.map((sort, index) => {
    const resolved = resolveSortPath(model, entityType, sort, [String(index)])
    return {
      ...resolved,
      direction: sort.direction,
      property: getSortProperty(resolved, sort.field, [String(index), 'field']),
    }
  })
}

function resolveSortPath(
  model: DataModel,
  entityType: EntityType,
  { attribute, path }: SortInput,
  at: string[],
): ResolvedPath {
  if (path !== undefined && attribute !== undefined) {
    throw filterError('A sort names either an attribute or a path.', at)
  }
  const unknown = (name: string, _path: string[], didYouMean?: string) => unknownAttributeKey(name, didYouMean)
  if (path !== undefined) return resolvePath(model, entityType, path, [...at, 'path'], unknown)
  if (attribute === undefined) throw missingSortField('A sort names an attribute or a path.', at)
  const found = getSearchable(model, entityType, attribute, (didYouMean) => unknownAttributeKey(attribute, didYouMean))
  return { steps: [], attribute: found }
}

function getSortProperty({ attribute }: ResolvedPath, field: string | undefined, at: string[]): Property | null {
  const { properties, defaultSort } = attributeType(attribute.type)
  const name = field ?? defaultSort
  if (name === null) return null
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (!property) throw invalidFilterField(name, attribute.type, at)
  return property
}

// Replaces slugs in filters and sorts by ids, so that a stored view survives the renaming of attributes.

/** `filter` was resolved before without errors, so everything that it names exists. */
export function filterById(model: DataModel, entityType: EntityType, filter: unknown): unknown {
  if (!isObject(filter)) return filter
  const isPath = Array.isArray(filter.path)
  const members = Object.entries(filter).map(([key, value]): [string, unknown] => {
    if (key === '$and' || key === '$or') return [key, listById(model, entityType, value)]
    if (key === '$not') return [key, filterById(model, entityType, value)]
    if (isPath && key === 'path') return [key, pathById(model, entityType, value)]
    if (isPath && key === 'constraints') return [key, value]
    return [attributeId(model, entityType, key), value]
  })
  return Object.fromEntries(members)
}

export const sortsById = (model: DataModel, entityType: EntityType, sorts: readonly SortInput[]): SortInput[] =>
  sorts.map((sort) => ({
    ...sort,
    ...(sort.attribute === undefined ? {} : { attribute: attributeId(model, entityType, sort.attribute) }),
    ...(sort.path === undefined ? {} : { path: pathById(model, entityType, sort.path) as string[][] }), // pathById keeps the shape
  }))

const listById = (model: DataModel, entityType: EntityType, filters: unknown): unknown =>
  Array.isArray(filters) ? filters.map((each) => filterById(model, entityType, each)) : filters

function pathById(model: DataModel, queried: EntityType, segments: unknown): unknown {
  if (!Array.isArray(segments)) return segments
  return segments.map(([entityTypeName, name]: [string, string], index) => {
    const entityType = index === 0 ? queried : (findObject(model, entityTypeName) ?? findList(model, entityTypeName))
    return entityType ? [entityType.id, attributeId(model, entityType, name)] : [entityTypeName, name]
  })
}

const attributeId = (model: DataModel, entityType: EntityType, name: string): string =>
  findSearchable(model, entityType, name)?.id ?? name

// Resolves a parsed filter to conditions on the attributes of a workspace.
// See docs/reference/query.md (Filters, Paths, Errors of queries).

interface Resolution {
  readonly model: DataModel
  readonly relativeContext: RelativeContext
}

/** Throws the errors of docs/reference/query.md (Errors of queries), with their paths inside the filter. */
export function resolveFilter(resolution: Resolution, entityType: EntityType, filter: Filter): Condition {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return { kind: filter.kind, of: filter.of.map((each) => resolveFilter(resolution, entityType, each)) }
    case 'not':
      return { kind: 'not', of: resolveFilter(resolution, entityType, filter.of) }
    case 'condition':
      return resolveCondition(resolution, entityType, filter)
  }
}

function resolveCondition(
  resolution: Resolution,
  entityType: EntityType,
  { target, constraint }: FilterCondition,
): Condition {
  const { steps, attribute } = resolveTarget(resolution.model, entityType, target)
  const comparisons = resolveComparisons(resolution, attribute, constraint)
  const condition = turnAround(
    resolution.model,
    { kind: 'value', attribute, comparisons },
    resolution.relativeContext.now,
  )
  return steps.reduceRight<Condition>((inner, step) => ({ kind: 'reference', step, condition: inner }), condition)
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
function resolveComparisons(
  { model, relativeContext }: Resolution,
  attribute: Attribute,
  constraint: SourceValue,
): Comparison[] {
  const parsed = parseConstraint(constraint)
  const comparisons = parsed.flatMap((each) =>
    each.operator === '$relative'
      ? resolveRelative(
          { model, attribute, property: getRelativeProperty(attribute, each), relativeContext },
          each.operand,
        )
      : [resolveComparison(model, attribute, each)],
  )
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

/** As below. Without a field and a default one, it is the only field that takes the operator. */
function getRelativeProperty(attribute: Attribute, written: ParsedComparison): Property {
  const { properties, defaultProperty } = attributeType(attribute.type)
  const [only, ...others] = Object.keys(properties).filter((name) => properties[name]?.operators.includes('$relative'))
  const field = written.field ?? defaultProperty ?? (others.length === 0 ? only : undefined) ?? null
  const property = getProperty(attribute, { ...written, field })
  if (!property.operators.includes('$relative')) throw invalidFilterOperator('$relative', [...written.operand.path])
  return property
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
  const compared = parsed.filter(({ operator }) => operator !== '$not_empty' && operator !== '$relative')
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

/**
 * Look-ups and rollups in requests, which name attributes by their slugs, and in the data model, which names them by their ids. Throws
 * `InvalidDefinition` for what does not fit the data model.
 */

import { attributeType, attributeTypes } from '#engine/attribute-types/registry'
import { closestSlug } from '#engine/data-model/access/hidden'
import {
  allowedObjectIds,
  allowsObject,
  entityTypeOf,
  findAttribute,
  findList,
  findRecordType,
  isVirtual,
  visibleAttributes,
} from '#engine/data-model/find'
import {
  type Attribute,
  type DataModel,
  type EntityType,
  hasRecords,
  type Lookup,
  type RecordType,
  type Rollup,
} from '#engine/data-model/model'
import { fieldsOf } from '#engine/formulas/parse-formula'
import { findOption } from '#engine/attribute-types/definition/options'
import type { Condition } from '#engine/query/resolve/condition'
import { parseFilter } from '#engine/query/parse/parse-filter'
import { UNUSED_RELATIVE_CONTEXT } from '#engine/query/resolve/relative'
import { filterById, resolveFilter } from '#engine/query/resolve/resolve-query'
import { type RollupFunction, TYPE_NAMES, type TypeName } from '#vocabulary/data-model'

/** `path` leads from the definition to the member that is wrong. */
export class InvalidDefinition extends Error {
  constructor(
    message: string,
    readonly path: readonly string[],
  ) {
    super(message)
  }
}

export type LookupInput = readonly string[]

export interface RollupInput {
  readonly through: string
  readonly function: RollupFunction
  readonly of?: string
  readonly filter?: Readonly<Record<string, unknown>>
}

/** The types that an attribute with the definition may have; the plainest one is the first. */
export interface CheckedDefinition<Definition> {
  readonly definition: Definition
  readonly types: readonly TypeName[]
  readonly isMultiselect: boolean
}

export function parseLookup(
  model: DataModel,
  entityType: EntityType,
  [first = '', second = '']: LookupInput,
): CheckedDefinition<Lookup> {
  const reference = getNamed(model, entityType, first, ['lookup', '0'])
  if (attributeType(reference.type).refersToRecords !== true)
    throw new InvalidDefinition(`"${first}" does not refer to records.`, ['lookup', '0'])
  if (reference.is_multiselect)
    throw new InvalidDefinition(`"${first}" has several values. A rollup can list or add up those of their records.`, [
      'lookup',
      '0',
    ])
  const [id, ...others] = allowedObjectIds(reference)
  const target = others.length > 0 || reference.hiddenTargets ? undefined : model.entityTypesById.get(id ?? '')
  if (target === undefined)
    throw new InvalidDefinition(`"${first}" can refer to records of several objects. A look-up needs one.`, [
      'lookup',
      '0',
    ])
  const attribute = getNamed(model, target, second, ['lookup', '1'])
  requireReadable(attribute, ['lookup', '1'])
  return {
    definition: { reference: reference.id, attribute: attribute.id },
    types: [attribute.type],
    isMultiselect: attribute.is_multiselect,
  }
}

export function parseRollup(
  model: DataModel,
  entityType: EntityType,
  { through, of, function: name, filter }: RollupInput,
): CheckedDefinition<Rollup> {
  const { reference, other } = resolveThrough(model, entityType, through)
  const value = parseOf(model, other, name, of)
  const conditions = filter === undefined ? undefined : parseRollupFilter(model, other, filter)
  return {
    definition: {
      through: reference.id,
      function: name,
      ...(value && { of: value.attribute.id, ...(value.field !== undefined && { field: value.field }) }),
      ...(conditions && { filter: conditions }),
    },
    types: typesOf(name, value),
    isMultiselect: false,
  }
}

const THROUGH = ['rollup', 'through'] as const

/** The attribute that refers to the entities of the type, and its entity type: `deals.associated_company`, or a list of their records. */
function resolveThrough(model: DataModel, entityType: EntityType, through: string) {
  if (!hasRecords(entityType))
    throw new InvalidDefinition('Nothing refers to entries. A list has look-ups and formulas only.', THROUGH)
  const [slug = '', name, ...rest] = through.split('.')
  if (name === undefined) return resolveList(model, entityType, slug)
  const other = findRecordType(model, slug)
  if (other === undefined || rest.length > 0)
    throw new InvalidDefinition(
      `Name a list, or an object and its attribute: "deals.associated_company". There is no object or activity "${slug}".`,
      THROUGH,
    )
  const reference = getNamed(model, other, name, THROUGH)
  if (attributeType(reference.type).refersToRecords !== true || !allowsObject(reference, entityType))
    throw new InvalidDefinition(`"${through}" does not refer to records of ${entityType.api_slug}.`, THROUGH)
  return { reference, other }
}

function resolveList(model: DataModel, { id, api_slug }: RecordType, slug: string) {
  const list = findList(model, slug)
  // Lists that the workspace has no access to are named to nobody.
  if (list === undefined || list.workspace_access === null)
    throw new InvalidDefinition(
      `There is no list "${slug}" that the whole workspace has access to. Of an object, name the attribute as well: "${slug}.…".`,
      THROUGH,
    )
  const reference = findAttribute(list, 'parent_record')
  if (reference === undefined || !list.parentObjects.some((parent) => parent.id === id))
    throw new InvalidDefinition(`The entries of "${slug}" are not of records of ${api_slug}.`, THROUGH)
  return { reference, other: list }
}

/** A visible attribute, also one over the entity's own columns. */
function getNamed(model: DataModel, entityType: EntityType, slug: string, path: readonly string[]): Attribute {
  const attribute = findAttribute(entityType, slug)
  const isNamed = attribute && !attribute.is_archived && !isVirtual(attribute)
  if (isNamed && (attribute.stored_in === 'entity' || visibleAttributes(model, entityType).includes(attribute)))
    return attribute
  const closest = closestSlug(slug, visibleAttributes(model, entityType))
  const hint = closest === undefined ? '' : ` Perhaps you meant "${closest}".`
  throw new InvalidDefinition(`${entityType.api_slug} has no attribute "${slug}".${hint}`, path)
}

/** Refuses ids and references, which would be values without an owner, and what has no columns. */
function requireReadable(attribute: Attribute, path: readonly string[]): void {
  const { type, stored_in, api_slug } = attribute
  requireStored(attribute, path)
  const isId = stored_in === 'entity' && !['created_at', 'created_by'].includes(api_slug)
  if (isId || attributeType(type).refersToRecords === true)
    throw new InvalidDefinition(`A look-up or rollup cannot have the values of "${api_slug}".`, path)
}

function requireStored({ stored_in, api_slug }: Attribute, path: readonly string[]): void {
  if (stored_in === 'function')
    throw new InvalidDefinition(`A look-up or rollup cannot name "${api_slug}", which reads the clock.`, path)
}

interface RolledUpValue {
  readonly attribute: Attribute
  readonly field: string | undefined
}

/** What the functions read: numbers, times, or any value that has a text. */
const NUMBERS: ReadonlySet<RollupFunction> = new Set(['sum', 'min', 'max', 'average'])
const TIMES: ReadonlySet<RollupFunction> = new Set(['earliest', 'latest'])

const OF = ['rollup', 'of'] as const

function parseOf(
  model: DataModel,
  other: EntityType,
  name: RollupFunction,
  of: string | undefined,
): RolledUpValue | undefined {
  if (name === 'count') {
    if (of === undefined) return undefined
    throw new InvalidDefinition('count counts the records or entries. A filter can leave some of them out.', OF)
  }
  if (of === undefined) throw new InvalidDefinition(`Name the attribute that ${name} reads.`, OF)
  const [slug = '', field] = of.split('.')
  const attribute = getNamed(model, other, slug, OF)
  requireReadable(attribute, OF)
  if (attribute.is_multiselect)
    throw new InvalidDefinition(`"${slug}" has several values; ${name} needs an attribute with one.`, OF)
  const value = { attribute, field: requireField(attribute, field) }
  const kind = kindOf(value)
  if (NUMBERS.has(name) && kind !== 'number')
    throw new InvalidDefinition(
      kind === 'time'
        ? `"${of}" is no number. Of dates and times there are earliest and latest.`
        : `"${of}" is no number.`,
      OF,
    )
  if (TIMES.has(name) && kind !== 'time') throw new InvalidDefinition(`"${of}" is neither a date nor a time.`, OF)
  return value
}

/** Throws for a field that the attribute lacks, and where one must be named. */
function requireField(attribute: Attribute, field: string | undefined): string | undefined {
  const fields = fieldsOf(attribute) ?? []
  if (attributeType(attribute.type).sql.form === 'actor')
    throw new InvalidDefinition(`"${attribute.api_slug}" has values that are no text.`, OF)
  if (field === undefined ? fields.length === 0 : fields.includes(field)) return field
  throw new InvalidDefinition(
    fields.length === 0
      ? `"${attribute.api_slug}" has no fields.`
      : `Name a field of "${attribute.api_slug}": ${fields.join(', ')}.`,
    OF,
  )
}

function kindOf({ attribute, field }: RolledUpValue): 'number' | 'time' | 'other' {
  const { sql } = attributeType(attribute.type)
  if (sql.form === 'struct') {
    const member = sql.fields.find(({ name }) => name === field)?.column ?? ''
    return attributeType(attribute.type).columns[member] === 'timestamptz' ? 'time' : 'other'
  }
  if (sql.form !== 'scalar') return 'other'
  return sql.type === 'numeric' ? 'number' : TIME_RESULTS.has(sql.type) ? 'time' : 'other'
}

/** The result in PostgreSQL, and the types that have such values. */
function typesOf(name: RollupFunction, value: RolledUpValue | undefined): TypeName[] {
  const result = resultOf(name, value)
  return TYPE_NAMES.filter((type) => attributeTypes[type].formula?.results.includes(result))
}

/** By the type of the column. A field of a value with several is an instant. */
const TIME_RESULTS: ReadonlyMap<string, string> = new Map([
  ['date', 'date'],
  ['timestamptz', 'timestamp with time zone'],
])

function resultOf(name: RollupFunction, value: RolledUpValue | undefined): string {
  if (name === 'list') return 'text'
  if (value === undefined || !TIMES.has(name)) return 'numeric'
  const { sql } = attributeType(value.attribute.type)
  return (sql.form === 'scalar' && TIME_RESULTS.get(sql.type)) || 'timestamp with time zone'
}

// The filter of a rollup, which decides without the clock, the caller and other entities.

const FILTER = ['rollup', 'filter'] as const

/** Returns the filter by ids. Throws the errors of query filters for what queries refuse as well. */
function parseRollupFilter(
  model: DataModel,
  other: EntityType,
  filter: Readonly<Record<string, unknown>>,
): Rollup['filter'] {
  if (JSON.stringify(filter).includes('"$relative"'))
    throw new InvalidDefinition('A rollup is stored, so its filter cannot depend on the time or the reader.', FILTER)
  requireOwnValues(resolveRollupFilter(model, other, filter))
  return optionsById(model, filterById(model, other, filter)) as Rollup['filter'] // both keep the form
}

export const resolveRollupFilter = (
  model: DataModel,
  other: EntityType,
  filter: Readonly<Record<string, unknown>>,
): Condition => resolveFilter({ model, relativeContext: UNUSED_RELATIVE_CONTEXT }, other, parseFilter(filter))

function requireOwnValues(condition: Condition): void {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.forEach(requireOwnValues)
    case 'not':
      return requireOwnValues(condition.of)
    case 'reference':
      throw new InvalidDefinition('The filter of a rollup has no paths. A look-up can have the value.', FILTER)
    case 'value': {
      const { attribute } = condition
      requireStored(attribute, FILTER)
      if (isVirtual(attribute) || attribute.stored_in === 'partner')
        throw new InvalidDefinition(`The filter of a rollup cannot name "${attribute.api_slug}".`, FILTER)
    }
  }
}

/** Replaces titles of options by their ids, because titles change. `filter` names attributes by their ids. */
const optionsById = (model: DataModel, filter: unknown): unknown =>
  mapOperands(filter, (id, operand) => {
    const attribute = model.attributesById.get(id)
    return [id, attribute ? mapTexts(operand, (text) => findOption(attribute, text, 'all')?.id) : operand]
  })

/** Converts each condition of a filter: its key and its operand. */
function mapOperands(filter: unknown, convert: (key: string, operand: unknown) => [string, unknown]): unknown {
  if (Array.isArray(filter)) return filter.map((each) => mapOperands(each, convert))
  if (typeof filter !== 'object' || filter === null) return filter
  return Object.fromEntries(
    Object.entries(filter).map(([key, value]) =>
      key.startsWith('$') ? [key, mapOperands(value, convert)] : convert(key, value),
    ),
  )
}

/** Replaces texts of an operand for which `replace` returns another one. */
function mapTexts(operand: unknown, replace: (text: string) => string | undefined): unknown {
  if (typeof operand === 'string') return replace(operand) ?? operand
  if (Array.isArray(operand)) return operand.map((each) => mapTexts(each, replace))
  if (typeof operand !== 'object' || operand === null) return operand
  return Object.fromEntries(Object.entries(operand).map(([key, each]) => [key, mapTexts(each, replace)]))
}

// The definitions as requests have them, with the present slugs.

const DELETED = 'deleted'

export const renderLookup = ({ attributesById }: DataModel, { reference, attribute }: Lookup): string[] =>
  [reference, attribute].map((id) => attributesById.get(id)?.api_slug ?? DELETED)

export function renderRollup(model: DataModel, { through, of, field, filter, function: name }: Rollup): RollupInput {
  const reference = model.attributesById.get(through)
  const other = reference && entityTypeOf(model, reference)
  const slugOf = (id: string) => model.attributesById.get(id)?.api_slug ?? DELETED
  const path = other?.kind === 'list' ? other.api_slug : `${other?.api_slug ?? DELETED}.${slugOf(through)}`
  return {
    through: path,
    function: name,
    ...(of !== undefined && { of: field === undefined ? slugOf(of) : `${slugOf(of)}.${field}` }),
    ...(filter !== undefined && { filter: filterBySlug(model, filter) as RollupInput['filter'] }), // keeps the form
  }
}

/** The filter with the present slugs, and titles of options. */
const filterBySlug = (model: DataModel, filter: unknown): unknown =>
  mapOperands(filter, (id, operand) => {
    const { api_slug = id, options = [] } = model.attributesById.get(id) ?? {}
    return [api_slug, mapTexts(operand, (text) => options.find((option) => option.id === text)?.title)]
  })

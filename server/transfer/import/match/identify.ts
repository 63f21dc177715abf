/**
 * How a row is matched with a record: by the values of the matching attribute, or, for a row without any, by the fallback
 * attribute, which is normally the name and must be equal character by character.
 */

import type { Stored } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { findAttribute, isRecordId, visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { KEY_ATTRIBUTE_SLUGS } from '#engine/data-model/names'
import { uniqueKeys } from '#engine/storage/unique-keys'
import type { ConvertedRow } from '#transfer/import/convert/compile-row'
import { ImportError } from '#transfer/import/import-context'
import type { Mapping } from '#transfer/import/mapping/mapping'

export interface Identification {
  readonly match: Attribute | undefined
  readonly fallback: Attribute | undefined
}

/** With this fallback, a row without a value of the matching attribute always creates a record. */
export const NO_FALLBACK = 'none'

/** The member of a value of the fallback attribute that is compared. */
export const nameMember = ({ type }: Attribute): string => attributeType(type).nameMember ?? 'value'

export interface RequestedIdentification {
  /** The slugs or ids of the attributes; undefined for the default. */
  readonly match: string | undefined
  readonly fallback: string | undefined
  readonly columns: Mapping['columns']
}

/** Throws `ImportError` for an attribute that cannot identify a record. */
export function chooseIdentification(
  model: DataModel,
  object: ObjectType,
  { match, fallback, columns }: RequestedIdentification,
): Identification {
  return {
    match: match === undefined ? defaultMatch(model, object, columns) : chooseMatch(model, object, match),
    fallback: chooseFallback(object, fallback),
  }
}

/** The attributes that can be the matching attribute: unique attributes, and then the id of the record. */
export function matchableAttributes(model: DataModel, object: ObjectType): Attribute[] {
  const visible = visibleAttributes(model, object)
  const unique = visible.filter(
    ({ is_unique, stored_in, type }) => is_unique && stored_in === 'columns' && attributeType(type).allows.match,
  )
  return [...unique, ...visible.filter(isRecordId)]
}

/**
 * The id of the record, or else the key attribute of the object, or else the first unique attribute, if the file has a column of it.
 */
function defaultMatch(model: DataModel, object: ObjectType, columns: Mapping['columns']): Attribute | undefined {
  const key = KEY_ATTRIBUTE_SLUGS[object.standard_slug ?? '']
  const matchable = matchableAttributes(model, object).toSorted(
    (one, other) =>
      Number(isRecordId(other)) - Number(isRecordId(one)) ||
      Number(other.api_slug === key) - Number(one.api_slug === key),
  )
  const mapped = new Set(columns.values().map((target) => target?.slug))
  return matchable.find(({ api_slug }) => mapped.has(api_slug)) ?? matchable.find((attribute) => !isRecordId(attribute))
}

function chooseMatch(model: DataModel, object: ObjectType, slug: string): Attribute {
  const matchable = matchableAttributes(model, object)
  const attribute = matchable.find(({ api_slug, id }) => api_slug === slug || id === slug)
  if (attribute) return attribute
  const names = matchable.map(({ api_slug }) => api_slug).join(', ') || 'none'
  throw new ImportError(
    `"${slug}" is not a unique attribute of ${object.api_slug} that rows can be matched by; those are: ${names}.`,
  )
}

function chooseFallback(object: ObjectType, slug: string | undefined): Attribute | undefined {
  if (slug === NO_FALLBACK) return undefined
  const attribute = findAttribute(object, slug ?? 'name')
  const isAllowed =
    attribute?.stored_in === 'columns' &&
    !attribute.is_archived &&
    attributeType(attribute.type).nameMember !== undefined
  if (isAllowed) return attribute
  if (slug === undefined) return undefined
  throw new ImportError(`"${slug}" is not a text attribute of ${object.api_slug} that rows can be matched by.`)
}

export interface IdentifiedRow {
  readonly row: ConvertedRow
  /** Unique keys of the matching attribute, as stored; empty for a row without a value of it. */
  readonly keys: readonly string[]
  /** The value of the fallback attribute. */
  readonly name: string | undefined
  /** The keys by which later rows may match the record of this row. */
  readonly ownKeys: readonly string[]
  /** The keys by which this row matches a record, or that must be unique. An earlier row with one of them is written first. */
  readonly dependsOn: readonly string[]
}

export function identify({ match, fallback }: Identification, row: ConvertedRow): IdentifiedRow {
  const keys: string[] = []
  const ownKeys: string[] = []
  let name: string | undefined
  if (row.recordId !== undefined && match !== undefined && isRecordId(match)) {
    const id = row.recordId.toLowerCase()
    keys.push(id)
    ownKeys.push(`id ${id}`)
  }
  for (const { attribute, values } of row.assignments) {
    if (attribute.id === fallback?.id) name = nameOf(attribute, values[0])
    if (!attribute.is_unique) continue
    for (const { attribute: number, key } of uniqueKeys(attribute, values)) {
      ownKeys.push(`${number} ${key}`)
      if (attribute.id === match?.id) keys.push(key)
    }
  }
  if (name === undefined) return { row, keys, name, ownKeys, dependsOn: ownKeys }
  const withName = [...ownKeys, `name ${name}`]
  // A row with a value of the matching attribute is never matched by its name.
  return { row, keys, name, ownKeys: withName, dependsOn: keys.length > 0 ? ownKeys : withName }
}

function nameOf(attribute: Attribute, stored: Stored | undefined): string | undefined {
  const name = stored?.[nameMember(attribute)]
  return typeof name === 'string' && name !== '' ? name : undefined
}

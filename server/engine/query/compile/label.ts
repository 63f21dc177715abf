/** The label of a record in SQL. `web/src/state/record-label.ts` has the same rule. See docs/reference/search.md (What a record is called). */

import { attributeType } from '#engine/attribute-types/registry'
import { findAttribute } from '#engine/data-model/find'
import { LABEL_SLUGS } from '#vocabulary/data-model'
import type { Attribute, RecordType } from '#engine/data-model/model'
import { firstValueAccessor } from './value-accessor'

/** `alias` is the alias of the record's row. The label of an object without a text attribute is the record's id. */
export function labelSql(object: RecordType, alias: string): string {
  const [first, ...others] = labelAttributes(object).map((attribute) => textOf(attribute, alias))
  if (first === undefined) return `${alias}.id::text`
  return others.length === 0 ? first : `coalesce(${[first, ...others].join(', ')})`
}

/** Many times the longest name that people read. */
const MAX_LABEL_LENGTH = 1000

/** The beginning of the label, as responses show it. A text that labels a record may have 10 MB. */
export const shownLabelSql = (object: RecordType, alias: string): string => beginningOf(labelSql(object, alias))

export const beginningOf = (label: string): string => `left(${label}, ${MAX_LABEL_LENGTH})`

/** The time of a record of an activity, which is shown with its label. Null for a record of an object. */
export function timeSql(type: RecordType, alias: string): string {
  const attribute = type.kind === 'activity' ? findAttribute(type, 'timestamp') : undefined
  return (attribute && firstValueAccessor(attribute, alias).column('value')) ?? 'null::timestamptz'
}

/** Reads the id and the label of each record of `ids`. The label is null for a record that has none. */
export const compileLabels = (object: RecordType, ids: readonly string[]) => ({
  text: `select h.id, ${shownLabelSql(object, 'h')} from ${object.table} h where h.id = any($1::uuid[])`,
  parameters: [`{${ids.join(',')}}`],
})

/** Reads the id and the first value of `key`, an attribute of text, of each record of `ids`. */
export const compileKeys = (object: RecordType, key: Attribute, ids: readonly string[]) => ({
  text: `select h.id, ${textOf(key, 'h')} from ${object.table} h where h.id = any($1::uuid[])`,
  parameters: [`{${ids.join(',')}}`],
})

function labelAttributes(object: RecordType): Attribute[] {
  const slugs = object.kind === 'object' ? LABEL_SLUGS[object.standard_slug ?? ''] : undefined
  if (slugs) return slugs.flatMap((slug) => findAttribute(object, slug) ?? [])
  const texts = object.attributes.filter(
    ({ type, stored_in, is_archived }) =>
      attributeType(type).isLabel === true && stored_in === 'columns' && !is_archived,
  )
  const named = texts.find(({ is_system_attribute, api_slug }) => is_system_attribute || api_slug === 'name')
  return [named ?? texts[0]].flatMap((attribute) => attribute ?? [])
}

/** The default property of the first value. An empty text counts as missing. */
function textOf(attribute: Attribute, alias: string): string {
  const { properties, defaultProperty } = attributeType(attribute.type)
  const property = properties[defaultProperty ?? '']
  const column = property?.source === 'column' ? firstValueAccessor(attribute, alias).column(property.column) : null
  if (column === null) throw new Error(`Attribute ${attribute.id} has no text for a label.`)
  return `nullif(${column}, '')`
}

/**
 * Renders values for assistants in few words: an email address as text, an option as its title. Short forms of writes have
 * the same form. See docs/reference/assistants.md (Answers).
 */

import { attributeType } from '#engine/attribute-types/registry'
import { allowedObjectIds, findAttribute } from '#engine/data-model/find'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { withoutNulls } from './flatten'

type Value = Readonly<Record<string, unknown>>
export type RenderedValues = Readonly<Record<string, readonly Value[]>>

/** These repeat the id of the record or the entry. */
const REPEATED = ['record_id', 'entry_id', 'parent_record_id']

/** Attributes without a value are left out. */
export const compactValues = (entityType: EntityType, values: RenderedValues): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([slug, each]) => {
      const attribute = findAttribute(entityType, slug)
      if (attribute === undefined || each.length === 0 || REPEATED.includes(slug)) return []
      const compact = each.map((value) => compactValue(attribute, value))
      return [[slug, attribute.is_multiselect ? compact : compact[0]]]
    }),
  )

function compactValue(attribute: Attribute, value: Value): unknown {
  const { sql, nameMember } = attributeType(attribute.type)
  if (nameMember !== undefined) return value[nameMember]
  switch (sql.form) {
    case 'scalar':
      return withoutZeroFraction(value[sql.column])
    case 'option':
      return (value[sql.column] as { title: string }).title // as in the output of types with options
    case 'reference':
      return allowedObjectIds(attribute).length === 1
        ? value[sql.record]
        : { target_object: value[sql.object], target_record_id: value[sql.record] }
    case 'actor':
      return value.referenced_actor_id ?? value.referenced_actor_type
    default:
      return withoutNulls(withoutMetadata(value))
  }
}

/** `2026-01-02T03:04:05.000000000Z` without its fraction. */
const withoutZeroFraction = (value: unknown): unknown =>
  typeof value === 'string' && value.length === 30 ? value.replace(/\.000000000Z$/, 'Z') : value

/** What the values of all types have. */
const METADATA = ['active_from', 'active_until', 'created_by_actor', 'attribute_type']

const withoutMetadata = (value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([member]) => !METADATA.includes(member)))

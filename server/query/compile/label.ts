/** What a record is called, in SQL. See docs/reference/search.md (What a record is called). */

import { attributeType } from '../../attribute-types/registry'
import { findAttribute } from '../../data-model/find'
import type { Attribute, ObjectType } from '../../data-model/model'
import { firstValueAccessor } from './value-accessor'

/** The attributes that name records of the standard objects, the first that has a value. */
const NAMED_BY: Readonly<Record<string, readonly string[]>> = {
  people: ['name', 'email_addresses'],
  companies: ['name', 'domains'],
  deals: ['name'],
  users: ['primary_email_address', 'user_id'],
  workspaces: ['name', 'workspace_id'],
}

/** The record is called `alias` in SQL. Of an object without any text it is the record's id. */
export function labelSql(object: ObjectType, alias: string): string {
  const [first, ...others] = namingAttributes(object).map((attribute) => textOf(attribute, alias))
  if (first === undefined) return `${alias}.id::text`
  return others.length === 0 ? first : `coalesce(${[first, ...others].join(', ')})`
}

function namingAttributes(object: ObjectType): Attribute[] {
  const slugs = NAMED_BY[object.standard_slug ?? '']
  if (slugs) return slugs.flatMap((slug) => findAttribute(object, slug) ?? [])
  const texts = object.attributes.filter(
    ({ type, stored_in, is_archived }) =>
      attributeType(type).isLabel === true && stored_in === 'columns' && !is_archived,
  )
  const named = texts.find(({ is_system_attribute, api_slug }) => is_system_attribute || api_slug === 'name')
  return [named ?? texts[0]].flatMap((attribute) => attribute ?? [])
}

/** The first value's default property; an empty text is no name. */
function textOf(attribute: Attribute, alias: string): string {
  const { properties, defaultProperty } = attributeType(attribute.type)
  const property = properties[defaultProperty ?? '']
  const column = property?.source === 'column' ? firstValueAccessor(attribute, alias).column(property.column) : null
  if (column === null) throw new Error(`Attribute ${attribute.id} cannot name a record.`)
  return `nullif(${column}, '')`
}

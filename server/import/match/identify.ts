/**
 * Which record a row is about. By the values of the matching attribute when it has any; else by the attribute that tells
 * such rows apart, normally the name, which must be written exactly alike.
 */

import type { Stored } from '../../attribute-types/define'
import { attributeType } from '../../attribute-types/registry'
import { findAttribute, visibleAttributes } from '../../data-model/find'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import { uniqueKeys } from '../../storage/unique-keys'
import type { ConvertedRow } from '../convert/compile-row'
import { ImportError } from '../import-error'

export interface Identification {
  readonly match: Attribute | undefined
  readonly fallback: Attribute | undefined
}

/** `none` as a fallback: rows without a value of the matching attribute are always new. */
export const NO_FALLBACK = 'none'

/** The member of a value that names it, by the types that can be a fallback. */
const NAMING_MEMBERS: Readonly<Record<string, string>> = { text: 'value', 'personal-name': 'full_name' }

export const namingMember = ({ type }: Attribute): string => NAMING_MEMBERS[type] ?? 'value'

/** What rows are matched by when nobody says it. */
const USUAL_MATCH: Readonly<Record<string, string>> = {
  companies: 'domains',
  people: 'email_addresses',
  users: 'user_id',
  workspaces: 'workspace_id',
}

/** Throws `ImportError` for attributes that cannot tell records apart. */
export function chooseIdentification(
  model: DataModel,
  object: ObjectType,
  { match, fallback }: { readonly match: string | undefined; readonly fallback: string | undefined },
): Identification {
  return { match: chooseMatch(model, object, match), fallback: chooseFallback(object, fallback) }
}

/** Those that can tell whether a row is known. */
export const matchableAttributes = (model: DataModel, object: ObjectType): Attribute[] =>
  visibleAttributes(model, object).filter(
    ({ is_unique, stored_in, type }) => is_unique && stored_in === 'columns' && attributeType(type).allows.match,
  )

function chooseMatch(model: DataModel, object: ObjectType, slug: string | undefined): Attribute | undefined {
  const matchable = matchableAttributes(model, object)
  if (slug === undefined) {
    const usual = USUAL_MATCH[object.standard_slug ?? '']
    return matchable.find(({ api_slug }) => api_slug === usual) ?? matchable[0]
  }
  const attribute = matchable.find(({ api_slug, id }) => api_slug === slug || id === slug)
  if (attribute) return attribute
  const names = matchable.map(({ api_slug }) => api_slug).join(', ') || 'none'
  throw new ImportError(
    `"${slug}" is no unique attribute of ${object.api_slug} that rows can be matched by; there is ${names}.`,
  )
}

function chooseFallback(object: ObjectType, slug: string | undefined): Attribute | undefined {
  if (slug === NO_FALLBACK) return undefined
  const attribute = findAttribute(object, slug ?? 'name')
  const isFit = attribute?.stored_in === 'columns' && !attribute.is_archived && attribute.type in NAMING_MEMBERS
  if (isFit) return attribute
  if (slug === undefined) return undefined
  throw new ImportError(`"${slug}" is no text of ${object.api_slug} that rows can be recognised by.`)
}

export interface IdentifiedRow {
  readonly row: ConvertedRow
  /** As the `uniques` table has them; empty for rows without a value of the matching attribute. */
  readonly keys: readonly string[]
  /** The row's value of the fallback. */
  readonly name: string | undefined
  /** What later rows may find its record by. */
  readonly claims: readonly string[]
  /** What it finds its own record by, or must not share: rows before it that claim any of this are written first. */
  readonly needs: readonly string[]
}

export function identify({ match, fallback }: Identification, row: ConvertedRow): IdentifiedRow {
  const keys: string[] = []
  const claims: string[] = []
  let name: string | undefined
  for (const { attribute, values } of row.assignments) {
    if (attribute.id === fallback?.id) name = nameOf(attribute, values[0])
    if (!attribute.is_unique) continue
    for (const { attribute: number, key } of uniqueKeys(attribute, values)) {
      claims.push(`${number} ${key}`)
      if (attribute.id === match?.id) keys.push(key)
    }
  }
  if (name === undefined) return { row, keys, name, claims, needs: claims }
  const withName = [...claims, `name ${name}`]
  // A row with a value of the matching attribute is never looked for by its name.
  return { row, keys, name, claims: withName, needs: keys.length > 0 ? claims : withName }
}

function nameOf(attribute: Attribute, stored: Stored | undefined): string | undefined {
  const name = stored?.[namingMember(attribute)]
  return typeof name === 'string' && name !== '' ? name : undefined
}

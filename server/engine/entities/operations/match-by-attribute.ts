/** How an upsert finds its entity. That of a record has a value of a unique attribute which the request names. */

import { runOnLookupPool } from '#db/connect'
import type { RequestContext } from '#context'
import { missingParameter } from '#base/errors/http'
import {
  matchingAttributeNotUnique,
  missingValue,
  multipleMatches,
  unknownMatchingAttribute,
} from '#base/errors/records'
import { attributeType } from '#engine/attribute-types/registry'
import { closestSlug } from '#engine/data-model/access/hidden'
import { findAttribute, visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import type { Assignment } from '#engine/entities/write/parse-values'
import type { Update } from '#engine/entities/write/update-entity'
import { findEntitiesByKeys, type StoredEntity, type Parent } from '#engine/storage/read-entities'
import { uniqueKeys } from '#engine/storage/unique-keys'

export interface UpsertMatch extends Pick<Update, 'multiselectWriteOf'> {
  /** Throws 400 when several entities match, and when there is nothing to match by. */
  find(given: readonly Assignment[]): Promise<StoredEntity | undefined>
  /** Whether there is an entity that matches, after the insert of one was refused. */
  isTaken(given: readonly Assignment[]): Promise<boolean>
  /** Whether to insert the entity before `find`. */
  readonly isProbablyNew: boolean
  /** The parent of a new entry, with the key that lets one of two concurrent requests create the entry. */
  readonly parent?: Parent
}

/** Throws 400 for the attribute. */
export function matchByAttribute(
  context: RequestContext,
  entityType: EntityType,
  slugOrId: string | undefined,
): UpsertMatch {
  const matching = getMatchingAttribute(context.model, entityType, slugOrId)
  const find = (given: readonly Assignment[]) => findMatch(context, entityType, matching, given)
  return {
    find,
    isTaken: async (given) => (await find(given)) !== undefined,
    isProbablyNew: false,
    multiselectWriteOf: upsertWriteOf(matching),
  }
}

/** Finds the one entity with any of the values of the matching attribute. */
async function findMatch(
  { db, model }: RequestContext,
  entityType: EntityType,
  matching: Attribute,
  given: readonly Assignment[],
): Promise<StoredEntity | undefined> {
  const values = given.find(({ attribute }) => attribute === matching)?.values ?? []
  if (values.length === 0) throw missingValue(matching.id)
  const keys = uniqueKeys(matching, values)
  const attributes = given.map(({ attribute }) => attribute)
  const [first, ...others] = await runOnLookupPool(db, (sql) =>
    findEntitiesByKeys(sql, model, entityType, keys, attributes),
  )
  if (first && others.length > 0) {
    const ids = [first, ...others].map(({ id }) => id).join(', ')
    throw multipleMatches(`Multiple records match the values of attribute "${matching.api_slug}": ${ids}.`)
  }
  return first
}

/** The matching attribute gains values, the values of every other multiselect are replaced. */
export const upsertWriteOf =
  (matching: Attribute): Update['multiselectWriteOf'] =>
  ({ attribute }) =>
    attribute === matching ? 'append' : 'overwrite'

/**
 * Returns the matching attribute that a request names. Throws 400 when it names none, when the attribute does not exist,
 * and when it is not unique. See docs/reference/records.md (Assert).
 */
export function getMatchingAttribute(
  model: DataModel,
  entityType: EntityType,
  slugOrId: string | undefined,
): Attribute {
  if (slugOrId === undefined || slugOrId === '') throw missingParameter('matching_attribute')
  const visible = visibleAttributes(model, entityType)
  const attribute = findAttribute(entityType, slugOrId)
  if (attribute && canMatch(attribute) && visible.includes(attribute)) return attribute
  const matching = visible.filter(canMatch)
  if (!attribute || !visible.includes(attribute))
    throw unknownMatchingAttribute(slugOrId, closestSlug(slugOrId, matching))
  throw matchingAttributeNotUnique(
    attribute.api_slug,
    matching.map(({ api_slug }) => api_slug),
  )
}

const canMatch = ({ is_unique, stored_in, type }: Attribute): boolean =>
  is_unique && stored_in === 'columns' && attributeType(type).allows.match

/** Resolves paths: from the queried entity type over references to an attribute. See docs/reference/query.md (Paths). */

import { attributeType } from '#engine/attribute-types/registry'
import {
  allowsObject,
  findAttribute,
  findList,
  findRecordType,
  isEnabled,
  visibleAttributes,
} from '#engine/data-model/find'
import { type Attribute, type DataModel, type EntityType, hasRecords, type RecordType } from '#engine/data-model/model'
import type { ApiError } from '#base/errors/api-error'
import { standardObjectDisabled } from '#base/errors/attributes'
import { filterError } from '#base/errors/queries'
import type { Step } from './condition'
import type { JsonPath } from '#engine/query/parse/parse-filter'
import { closestSlug } from '#engine/data-model/access/hidden'

/** An attribute, and the steps that lead to its entity type. */
export interface ResolvedPath {
  readonly steps: readonly Step[]
  readonly attribute: Attribute
}

/** Makes the error for a name that is not an attribute. Filters and sorts have different ones. */
type UnknownAttribute = (slug: string, path: string[], didYouMean?: string) => ApiError

const MAX_SEGMENTS = 5

/** The attribute with this slug or id. Throws `unknown` when there is none. */
export function getSearchable(
  model: DataModel,
  entityType: EntityType,
  name: string,
  unknown: (didYouMean?: string) => ApiError,
): Attribute {
  const attribute = findSearchable(model, entityType, name)
  if (!attribute) throw unknown(closestSearchable(model, entityType, name))
  return attribute
}

/** Resolves the `segments`, whose position in the body is `path`. */
export function resolvePath(
  model: DataModel,
  queried: EntityType,
  segments: readonly unknown[],
  path: JsonPath,
  unknown: UnknownAttribute,
): ResolvedPath {
  if (segments.length < 1 || segments.length > MAX_SEGMENTS) {
    throw filterError(`A path has 1 to ${MAX_SEGMENTS} segments.`, [...path])
  }
  const steps: Step[] = []
  let last: Attribute | undefined
  for (const [index, segment] of segments.entries()) {
    const at = [...path, String(index)]
    const [entityTypeName, name] = readSegment(segment, at)
    const target = last && getTarget(model, last, entityTypeName, at)
    if (last && target) steps.push({ attribute: last, target })
    else requireQueried(model, queried, entityTypeName, at)
    const entityType = target ?? queried
    last = getSearchable(model, entityType, name, (didYouMean) => unknown(name, [...at, '1'], didYouMean))
  }
  if (!last) throw new Error('A resolved path has at least one segment.')
  return { steps, attribute: last }
}

function readSegment(segment: unknown, path: JsonPath): readonly [string, string] {
  const [entityType, attribute] = Array.isArray(segment) && segment.length === 2 ? (segment as unknown[]) : [] // any JSON
  if (typeof entityType === 'string' && typeof attribute === 'string') return [entityType, attribute]
  throw filterError('A segment of a path is [object, activity or list, attribute].', [...path])
}

function requireQueried(model: DataModel, entityType: EntityType, name: string, path: JsonPath): void {
  const found = hasRecords(entityType) ? findRecordType(model, name) : findList(model, name)
  if (found === entityType) return
  throw filterError(`A path begins at what is queried, "${entityType.api_slug}", not at "${name}".`, [...path, '0'])
}

/** The object or activity of the next segment. Throws when the attribute before it cannot refer to its records. */
function getTarget(model: DataModel, attribute: Attribute, name: string, path: JsonPath): RecordType {
  const { type, api_slug } = attribute
  if (!attributeType(type).refersToRecords) {
    throw filterError(`Attribute "${api_slug}" refers to no records, so a path ends there.`, [...path])
  }
  const target = findRecordType(model, name)
  if (target && allowsObject(attribute, target)) {
    if (!isEnabled(target)) throw standardObjectDisabled(target.id)
    return target
  }
  throw filterError(`Attribute "${api_slug}" does not refer to records of "${name}".`, [...path, '0'])
}

// The attributes of an entity type that filters and sorts can name.
// See docs/reference/query.md (Fields by type) and docs/reference/objects-and-attributes.md (System attributes).

/** Finds a visible attribute, or one over the entity's own columns, such as `updated_at`. */
export function findSearchable(model: DataModel, entityType: EntityType, slugOrId: string): Attribute | undefined {
  const attribute = findAttribute(entityType, slugOrId)
  if (!attribute || attribute.is_archived) return undefined
  return attribute.stored_in === 'entity' || visibleAttributes(model, entityType).includes(attribute)
    ? attribute
    : undefined
}

/** The slug closest to a name that is not an attribute. */
const closestSearchable = (model: DataModel, entityType: EntityType, word: string): string | undefined =>
  closestSlug(word, visibleAttributes(model, entityType))

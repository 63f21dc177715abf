/** Replaces texts of a person in the values of records and entries that stay. */

import type { RequestContext } from '#context'
import type { Scalar, Stored } from '#engine/attribute-types/define'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { writeEntity } from '#engine/entities/write/update-entity'
import type { Assignment } from '#engine/entities/write/parse-values'
import type { StoredEntity } from '#engine/storage/read-entities'

/** Replaces a text. Returns it unchanged when it is not of the person. */
export type ReplaceText = (text: string) => string

/** What stays of the name of a person. */
export const ERASED_NAME = { first_name: 'Erased', last_name: 'person', full_name: 'Erased person' }

/** Writes the entity as any other write does, so with change events, unique keys and a new version. */
export const replaceInEntity = (
  context: RequestContext,
  entityTypeId: string,
  id: string,
  replace: ReplaceText,
): Promise<unknown> =>
  retryOnConflict(context, async (current) => {
    const entityType = current.model.entityTypesById.get(entityTypeId)
    if (entityType === undefined) return undefined
    return writeEntity({ context: current, entityType, id, locking: true }, async (_db, entity) => ({
      assignments: assignmentsOf(entityType, entity, replace),
      multiselectWriteOf: () => 'overwrite',
    }))
  })

function assignmentsOf(entityType: EntityType, entity: StoredEntity, replace: ReplaceText): Assignment[] {
  const stored = entityType.attributes.filter(({ stored_in }) => stored_in === 'columns')
  return stored.flatMap((attribute) => {
    const before = entity.valuesOf(attribute).map((value) => value.stored)
    const after = before.flatMap((value) => replacedValue(attribute, value, replace))
    const isChanged = after.length !== before.length || after.some((value, at) => value !== before[at])
    return isChanged ? [{ attribute, values: after }] : []
  })
}

/** A name becomes that of an erased person. A unique value and an email address are removed, because no other text can replace them. */
function replacedValue({ is_unique }: Attribute, value: Stored, replace: ReplaceText): Stored[] {
  const members = Object.entries(value).map(([member, scalar]) => [member, replacedScalar(scalar, replace)] as const)
  if (members.every(([member, scalar]) => scalar === value[member])) return [value]
  if (is_unique || 'email_address' in value) return []
  return ['full_name' in value ? { ...value, ...ERASED_NAME } : Object.fromEntries(members)]
}

const replacedScalar = (scalar: Scalar, replace: ReplaceText): Scalar =>
  typeof scalar === 'string' ? replace(scalar) : scalar

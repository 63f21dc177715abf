/**
 * Creates a custom object with the attributes that every object has, and with the table of its records.
 * See docs/reference/objects-and-attributes.md (Objects).
 */

import type { ApiContext } from '#context'
import { allocateNumbers, changeModel, type ModelChange } from '#engine/data-model/change-model'
import { getObject } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { qualifiedTableName } from '#engine/data-model/names'
import { objectQuotaExceeded } from '#base/errors/objects'
import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import { insertObjects, insertTargetOf } from '#engine/workspaces/insert-entity-types'
import { buildAttribute } from '#engine/workspaces/build-attribute'
import { CREATION_ATTRIBUTES, RECORD_ID_ATTRIBUTE } from '#engine/workspaces/system-attributes'
import { renderObject } from './render'
import { refuseReservedSlug, refuseTaken } from './rules'
import type { ObjectInput, ObjectOutput } from './schemas'

const SYSTEM_ATTRIBUTES = [RECORD_ID_ATTRIBUTE, ...CREATION_ATTRIBUTES]

export async function createObject(context: ApiContext, input: ObjectInput): Promise<ObjectOutput> {
  refuseReservedSlug(input.api_slug)
  const created_at = timestampFromMicros(context.now())
  const { changed: id, model } = await changeModel(context, async (step) => {
    refuseTaken(step.model, input)
    refuseOverQuota(step.model, context.objectQuota)
    const object = await newObject(step, input, created_at)
    await insertObjects(insertTargetOf(step), [object])
    return object.id
  })
  return renderObject(model, getObject(model, id))
}

function refuseOverQuota(model: DataModel, quota: number): void {
  const custom = model.entityTypes.filter(
    (entityType) => entityType.kind === 'object' && entityType.standard_slug === null,
  )
  if (custom.length >= quota) throw objectQuotaExceeded(quota)
}

async function newObject({ tx, model }: ModelChange, input: ObjectInput, created_at: string): Promise<ObjectType> {
  const number = await allocateNumbers(tx, model.workspace.id, 1 + SYSTEM_ATTRIBUTES.length)
  const id = newId()
  return {
    id,
    number,
    kind: 'object',
    api_slug: input.api_slug,
    singular_noun: input.singular_noun,
    plural_noun: input.plural_noun,
    standard_slug: null,
    is_enabled: true,
    created_at,
    table: qualifiedTableName(model.workspace.number, { kind: 'object', number }),
    attributes: SYSTEM_ATTRIBUTES.map((spec, index) =>
      buildAttribute(spec, { entity_type_id: id, number: number + 1 + index, created_at }),
    ),
  }
}

/** A new custom attribute of an object or a list, and its columns. Spec: resources 2. */

import type { FindOwner } from '../../access/entity-type-path'
import type { Call } from '../../call'
import { allocateNumbers, changeModel, lockHolders, type ModelChange } from '../../data-model/change-model'
import type { Attribute, Owner } from '../../data-model/model'
import { tellAttributes } from '../../events/model-events'
import { timestampFromMicros } from '../../timing/clock'
import { insertAttributes, targetOf } from '../../workspaces/insert-entity-types'
import { newAttribute } from '../../workspaces/build-attribute'
import { parseConfig } from './config'
import { parseDefault } from './default-value'
import { otherSide, pair } from './relationship'
import { renderAttribute } from './render'
import { refuseDisabledDefault, refuseShape, refuseTakenSlug } from './rules'
import type { AttributeInput, AttributeOutput } from './schemas'
import { getById } from './target'

export async function createAttribute(call: Call, find: FindOwner, input: AttributeInput): Promise<AttributeOutput> {
  const { changed: id, model } = await changeModel(call, async (step) => {
    const owner = find(step.model)
    refuseShape(owner, input)
    refuseDisabledDefault(input.is_required, input.is_default_value_enabled)
    refuseTakenSlug(owner, input.api_slug)
    const attribute = await draft(call, step, owner, input)
    await lockHolders(step.tx, owner)
    await tellAttributes(call, step, 'created', await insert(step, owner, attribute, input))
    return attribute.id
  })
  return renderAttribute(model, getById(model, id))
}

async function draft(call: Call, step: ModelChange, owner: Owner, input: AttributeInput): Promise<Attribute> {
  const { title, description, api_slug, type, is_required, is_unique, is_multiselect, default_value = null } = input
  const config = parseConfig(step.model, type, input.config)
  // One more than needed when there is no other side; numbers are plenty.
  const number = await allocateNumbers(step.tx, step.model.workspace.id, 2)
  const attribute = newAttribute(
    { title, description, api_slug, type, is_required, is_unique, is_multiselect, config },
    { owner_id: owner.id, number, created_at: timestampFromMicros(call.now()) },
  )
  const kept = await parseDefault(call, step, owner, attribute, default_value)
  return {
    ...attribute,
    default_value: kept,
    is_default_value_enabled: input.is_default_value_enabled ?? kept !== null,
  }
}

/** With the other side of its relationship, if it is one. */
async function insert(
  step: ModelChange,
  owner: Owner,
  attribute: Attribute,
  input: AttributeInput,
): Promise<Attribute[]> {
  const { relationship } = input
  if (!relationship) {
    await insertAttributes(targetOf(step), owner, [attribute])
    return [attribute]
  }
  const other = otherSide(step, owner, input, relationship)
  const [first, second] = await pair(step, attribute, other, relationship)
  await insertAttributes(targetOf(step), owner, [first])
  await insertAttributes(targetOf(step), other, [second])
  return [first, second]
}

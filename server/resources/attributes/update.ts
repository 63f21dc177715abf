/** Changing a custom attribute; its type and whether it holds several values are fixed for ever. Spec: resources 2. */

import type { FindOwner } from '../../access/entity-type-path'
import type { Call } from '../../call'
import { changeModel, lockHolders, type ModelChange } from '../../data-model/change-model'
import { ownerOf, partnerOf } from '../../data-model/find'
import type { Attribute, DataModel, Owner } from '../../data-model/model'
import { tellAttributes } from '../../events/model-events'
import { emptyPayload } from '../../errors/errors'
import { parseConfigChange } from './config'
import { parseDefault } from './default-value'
import { refuseOtherObjects } from './relationship'
import { renderAttribute } from './render'
import { refuseDisabledDefault, refuseTakenSlug, refuseUnique } from './rules'
import { AttributeChange, type AttributeOutput } from './schemas'
import { getById, getEditable } from './target'
import { saveAttribute } from './store'
import { changeUniqueness } from './unique-keys'

export async function updateAttribute(
  call: Call,
  find: FindOwner,
  slugOrId: string,
  input: AttributeChange,
): Promise<AttributeOutput> {
  if (isEmpty(input)) throw emptyPayload()
  const { changed: id, model } = await changeModel(call, async (step) => {
    const owner = find(step.model)
    const attribute = getEditable(step.model, owner, slugOrId)
    const next = await changed(call, step, owner, attribute, input)
    if (mattersToWriters(attribute, next)) await lockHolders(step.tx, owner)
    await saveAttribute(step, next)
    const partner = next.is_archived === attribute.is_archived ? [] : await archivePartner(step, next)
    if (next.is_unique !== attribute.is_unique) await changeUniqueness(step, owner, next)
    if (!Bun.deepEquals(attribute, next)) await tellAttributes(call, step, 'updated', [next, ...partner])
    return attribute.id
  })
  return renderAttribute(model, getById(model, id))
}

const MEMBERS = Object.keys(AttributeChange.properties) as (keyof AttributeChange)[] // a schema names its type's members

const isEmpty = (input: AttributeChange): boolean => MEMBERS.every((member) => input[member] === undefined)

/** The attribute as it is to be. */
async function changed(
  call: Call,
  step: ModelChange,
  owner: Owner,
  attribute: Attribute,
  input: AttributeChange,
): Promise<Attribute> {
  const { config: configInput = {}, default_value: defaultInput, ...members } = input
  refuseDisabledDefault(members.is_required ?? attribute.is_required, members.is_default_value_enabled)
  if (members.api_slug !== undefined) refuseTakenSlug(owner, members.api_slug, attribute)
  if (members.is_unique === true) refuseUnique(owner, { type: attribute.type, is_unique: true })
  const config = changedConfig(step.model, attribute, configInput)
  const next = { ...attribute, ...pick(members), config }
  if (defaultInput === undefined) return next
  const default_value = await parseDefault(call, step, owner, next, defaultInput)
  return { ...next, default_value, is_default_value_enabled: input.is_default_value_enabled ?? default_value !== null }
}

const CHANGEABLE = [
  'title',
  'description',
  'api_slug',
  'is_required',
  'is_unique',
  'is_default_value_enabled',
  'is_archived',
] as const

/** Members the body has beside those that can change are left behind. */
const pick = (members: Omit<AttributeChange, 'config' | 'default_value'>): Partial<Attribute> =>
  Object.fromEntries(CHANGEABLE.filter((name) => members[name] !== undefined).map((name) => [name, members[name]]))

function changedConfig(
  model: DataModel,
  attribute: Attribute,
  input: NonNullable<AttributeChange['config']>,
): Attribute['config'] {
  const config = parseConfigChange(model, attribute.type, input)
  const partner = partnerOf(model, attribute)
  if (partner) refuseOtherObjects({ config }, ownerOf(model, partner))
  return { ...attribute.config, ...config }
}

/** Writes that began before these changed must be through, and later ones see them. */
const mattersToWriters = (before: Attribute, after: Attribute): boolean =>
  before.is_required !== after.is_required ||
  before.is_unique !== after.is_unique ||
  before.is_archived !== after.is_archived

/** A relationship has both its sides or none. Gives the other side, if there is one. */
async function archivePartner(step: ModelChange, attribute: Attribute): Promise<Attribute[]> {
  const partner = partnerOf(step.model, attribute)
  if (!partner) return []
  await lockHolders(step.tx, ownerOf(step.model, partner))
  await saveAttribute(step, { ...partner, is_archived: attribute.is_archived })
  return [partner]
}

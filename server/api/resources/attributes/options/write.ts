/** Creates and changes options and statuses. See docs/reference/objects-and-attributes.md (Select options and statuses). */

import type { OptionKind } from '#engine/attribute-types/define'
import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { allocateNumbers, changeModel, type ModelChange } from '#engine/data-model/change-model'
import { attributeEvents } from '#events/feed/model-events'
import { timestampFromMicros } from '#base/timing/clock'
import {
  getOption,
  getWritable,
  insertOption,
  newOption,
  type OptionMembers,
  orTitleConflict,
  parseTitle,
  refuseTakenTitle,
  renderOption,
  saveOption,
} from './option'
import type { ChangedOption, NewOption, OptionOutput, StatusOutput } from './schemas'
import { getAttributeById } from '#api/resources/attributes/store'
import type { Attribute, Option } from '#engine/data-model/model'
import { emptyPayload } from '#base/errors/http'
import { moveItem, saveOrder } from '#api/resources/attributes/update'

/** Throws 404 for an unknown attribute, 400 for one without options or with options of the service, 409 for a title that is in use. */
export async function createOption(
  context: RequestContext,
  find: FindEntityType,
  slugOrId: string,
  kind: OptionKind,
  input: NewOption,
): Promise<OptionOutput | StatusOutput> {
  const title = parseTitle(input.title)
  const { changed, model } = await changeModel(context, async (step) => {
    const attribute = getWritable(step.model, find(step.model), slugOrId, kind)
    refuseTakenTitle(attribute, title, kind)
    const number = await allocateNumbers(step.tx, step.model.workspace.id, 1)
    const option = newOption(number, kind, { ...input, title })
    const created_at = timestampFromMicros(context.now())
    await orTitleConflict(insertOption(step, attribute, option, created_at), title, kind)
    await attributeEvents(context, step, 'updated', [attribute])
    return { attributeId: attribute.id, id: option.id }
  })
  const attribute = getAttributeById(model, changed.attributeId)
  return renderOption(model, attribute, getOption(attribute, changed.id, kind))
}

// Renames, moves, archives or restores an option or status. Values show it also while it is archived.
// See docs/reference/objects-and-attributes.md (Select options and statuses).

/** The path of an option or status: the attribute, and the id or title of the option. */
interface OptionPath {
  readonly find: FindEntityType
  readonly attribute: string
  readonly option: string
}

/** Changes only the members of the input. Throws as `createOption`, 404 for an unknown option, and 400 for an empty input. */
export async function updateOption(
  context: RequestContext,
  path: OptionPath,
  kind: OptionKind,
  input: ChangedOption,
): Promise<OptionOutput | StatusOutput> {
  const wanted = pick(kind, input)
  const { sort_order } = input
  const hasMembers = Object.keys(wanted).length > 0
  if (!hasMembers && sort_order === undefined) throw emptyPayload()
  const { changed, model } = await changeModel(context, async (step) => {
    const attribute = getWritable(step.model, path.find(step.model), path.attribute, kind)
    const option = getOption(attribute, path.option, kind)
    if (wanted.title !== undefined) refuseTakenTitle(attribute, wanted.title, kind, option)
    if (hasMembers) await orTitleConflict(saveOption(step, option, wanted), wanted.title ?? option.title, kind)
    const isMoved = sort_order !== undefined && (await moveOption(step, attribute, option, sort_order))
    if (isMoved || !Bun.deepEquals(option, { ...option, ...wanted }))
      await attributeEvents(context, step, 'updated', [attribute])
    return { attributeId: attribute.id, id: option.id }
  })
  const attribute = getAttributeById(model, changed.attributeId)
  return renderOption(model, attribute, getOption(attribute, changed.id, kind))
}

/** Returns whether the order changed. */
async function moveOption(
  step: ModelChange,
  { options }: Attribute,
  option: Option,
  sortOrder: number,
): Promise<boolean> {
  const moved = moveItem(options, option, sortOrder)
  if (Bun.deepEquals(moved, options)) return false
  await saveOrder(step, 'relata.options', moved)
  return true
}

/** Returns the members of the input that belong to the kind. */
function pick(kind: OptionKind, input: ChangedOption): OptionMembers {
  const { title, is_archived, celebration_enabled, target_time_in_status, color } = input
  return {
    ...(title === undefined ? {} : { title: parseTitle(title) }),
    ...(is_archived === undefined ? {} : { is_archived }),
    ...(color === undefined ? {} : { color }),
    ...(kind === 'select' || celebration_enabled === undefined ? {} : { celebration_enabled }),
    ...(kind === 'select' || target_time_in_status === undefined ? {} : { target_time_in_status }),
  }
}

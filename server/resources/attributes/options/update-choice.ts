/**
 * Renames, archives or restores an option or status. Values show it also while it is archived.
 * See docs/reference/objects-and-attributes.md (Select options and statuses).
 */

import type { OptionKind } from '../../../attribute-types/define'
import type { FindEntityType } from '../../../access/list-access/entity-type-path'
import type { RequestContext } from '../../../context'
import { changeModel } from '../../../data-model/change-model'
import { attributeEvents } from '../../../events/model-events'
import { emptyPayload } from '../../../errors/http'
import { getChoice, getWritable, orTitleConflict, parseTitle, refuseTakenTitle, renderChoice } from './choice'
import type { ChoiceChange, OptionOutput, StatusOutput } from './schemas'
import { type OptionMembers, saveOption } from './store'
import { getById } from '../target'

/** The path of a choice: the attribute, and the id or title of the choice. */
export interface ChoicePath {
  readonly find: FindEntityType
  readonly attribute: string
  readonly choice: string
}

export async function updateChoice(
  context: RequestContext,
  path: ChoicePath,
  kind: OptionKind,
  input: ChoiceChange,
): Promise<OptionOutput | StatusOutput> {
  const wanted = pick(kind, input)
  if (Object.keys(wanted).length === 0) throw emptyPayload()
  const { changed, model } = await changeModel(context, async (step) => {
    const attribute = getWritable(step.model, path.find(step.model), path.attribute, kind)
    const option = getChoice(attribute, path.choice, kind)
    if (wanted.title !== undefined) refuseTakenTitle(attribute, wanted.title, kind, option)
    await orTitleConflict(saveOption(step, option, wanted), wanted.title ?? option.title, kind)
    const isChanged = !Bun.deepEquals(option, { ...option, ...wanted })
    if (isChanged) await attributeEvents(context, step, 'updated', [attribute])
    return { attributeId: attribute.id, id: option.id }
  })
  const attribute = getById(model, changed.attributeId)
  return renderChoice(model, attribute, getChoice(attribute, changed.id, kind))
}

/** Returns the members of the input that belong to the kind. */
function pick(kind: OptionKind, input: ChoiceChange): OptionMembers {
  const { title, is_archived, celebration_enabled, target_time_in_status } = input
  return {
    ...(title === undefined ? {} : { title: parseTitle(title) }),
    ...(is_archived === undefined ? {} : { is_archived }),
    ...(kind === 'select' || celebration_enabled === undefined ? {} : { celebration_enabled }),
    ...(kind === 'select' || target_time_in_status === undefined ? {} : { target_time_in_status }),
  }
}

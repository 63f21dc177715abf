/**
 * Creates an option or status after all others. See docs/reference/objects-and-attributes.md (Select options and statuses).
 */

import type { OptionKind } from '#engine/attribute-types/define'
import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { allocateNumbers, changeModel } from '#engine/data-model/change-model'
import { attributeEvents } from '#events/feed/model-events'
import { timestampFromMicros } from '#base/timing/clock'
import { buildOption } from '#engine/workspaces/build-attribute'
import { getOption, getWritable, orTitleConflict, parseTitle, refuseTakenTitle, renderOption } from './option'
import type { NewOption, OptionOutput, StatusOutput } from './schemas'
import { insertOption } from './store'
import { getById } from '#api/resources/attributes/target'

/** Throws 404 for an unknown attribute, 400 for one without options or with options of the service, 409 for a title that is in use. */
export async function createOption(
  context: RequestContext,
  find: FindEntityType,
  slugOrId: string,
  kind: OptionKind,
  input: NewOption,
): Promise<OptionOutput | StatusOutput> {
  const title = parseTitle(input.title)
  const { celebration_enabled = false, target_time_in_status = null, color = null } = input
  const { changed, model } = await changeModel(context, async (step) => {
    const attribute = getWritable(step.model, find(step.model), slugOrId, kind)
    refuseTakenTitle(attribute, title, kind)
    const number = await allocateNumbers(step.tx, step.model.workspace.id, 1)
    const option = { ...buildOption(number, title), celebration_enabled, target_time_in_status, color }
    const created_at = timestampFromMicros(context.now())
    await orTitleConflict(insertOption(step, attribute, option, created_at), title, kind)
    await attributeEvents(context, step, 'updated', [attribute])
    return { attributeId: attribute.id, id: option.id }
  })
  const attribute = getById(model, changed.attributeId)
  return renderOption(model, attribute, getOption(attribute, changed.id, kind))
}

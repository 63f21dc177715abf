/** Creates many options or statuses in one request. See docs/reference/objects-and-attributes.md (Select options and statuses). */

import type { OptionKind } from '#engine/attribute-types/define'
import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { allocateNumbers, changeModel } from '#engine/data-model/change-model'
import { attributeEvents } from '#events/feed/model-events'
import { timestampFromMicros } from '#base/timing/clock'
import { buildOption } from '#engine/workspaces/build-attribute'
import { getWritable, orTitleConflict, parseTitle, refuseTakenTitle } from './option'
import { insertOption } from './store'

/** The new options come after all others, in the order of `titles`. One change of the data model creates all of them or none. */
export async function createOptions(
  context: RequestContext,
  find: FindEntityType,
  slugOrId: string,
  kind: OptionKind,
  titles: readonly string[],
): Promise<void> {
  const wanted = titles.map(parseTitle)
  await changeModel(context, async (step) => {
    const attribute = getWritable(step.model, find(step.model), slugOrId, kind)
    for (const title of wanted) refuseTakenTitle(attribute, title, kind)
    const first = await allocateNumbers(step.tx, step.model.workspace.id, wanted.length)
    const created_at = timestampFromMicros(context.now())
    for (const [index, title] of wanted.entries()) {
      await orTitleConflict(insertOption(step, attribute, buildOption(first + index, title), created_at), title, kind)
    }
    await attributeEvents(context, step, 'updated', [attribute])
  })
}

/** Creates the attributes and options that an import needs, with the operations of the API. */

import type { RequestContext } from '#context'
import { attributeType } from '#engine/attribute-types/registry'
import { getAttribute, getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { requestedConfig } from '#transfer/import/mapping/bind-columns'
import type { MissingDefinitions } from '#transfer/import/mapping/check-mapping'
import type { BackgroundContext } from '#engine/entities/write/background-context'
import { createAttribute } from './create'
import type { OptionKind } from '#engine/attribute-types/define'
import type { FindEntityType } from '#access/list-access/entity-type-path'
import { allocateNumbers, changeModel } from '#engine/data-model/change-model'
import { attributeEvents } from '#events/feed/model-events'
import { timestampFromMicros } from '#base/timing/clock'
import { buildOption } from '#engine/workspaces/build-attribute'
import { getWritable, orTitleConflict, parseTitle, refuseTakenTitle } from './options/option'
import { insertOption } from './options/store'

export async function createMissing(
  importContext: BackgroundContext,
  objectId: string,
  { attributes, options }: MissingDefinitions,
): Promise<void> {
  const find = (model: DataModel) => getObject(model, objectId)
  for (const attribute of attributes) {
    const { title, api_slug, type, is_multiselect } = attribute
    await createAttribute(importContext.context(), find, {
      title,
      description: null,
      api_slug,
      type,
      is_required: false,
      is_unique: false,
      is_multiselect,
      config: requestedConfig(attribute),
    })
  }
  for (const [slug, titles] of options) await createMissingOptions(importContext.context(), find, slug, titles)
  await importContext.context().reloadModel()
}

async function createMissingOptions(
  context: RequestContext,
  find: (model: DataModel) => ReturnType<typeof getObject>,
  slug: string,
  titles: readonly string[],
): Promise<void> {
  const model = await context.reloadModel()
  const { optionKind } = attributeType(getAttribute(find(model), slug).type)
  if (optionKind === undefined) throw new Error(`Attribute ${slug} has no options.`)
  await createOptions(context, find, slug, optionKind, titles)
}

// Creates many options or statuses in one request. See docs/reference/objects-and-attributes.md (Select options and statuses).

/** The new options come after all others, in the order of `titles`. One change of the data model creates all of them or none. */
async function createOptions(
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

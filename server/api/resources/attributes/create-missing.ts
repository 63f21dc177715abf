/** Creates the attributes and options that an import needs, with the operations of the API. */

import type { RequestContext } from '#context'
import { attributeType } from '#engine/attribute-types/registry'
import { getAttribute, getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { requestedConfig } from '#transfer/import/mapping/bind-columns'
import type { MissingDefinitions } from '#transfer/import/mapping/check-mapping'
import type { BackgroundContext } from '#engine/entities/write/background-context'
import { createAttribute } from './create'
import { createOptions } from './options/create-options'

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

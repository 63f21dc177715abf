/** Asks before it archives an attribute that saved views filter or sort by. */

import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import { getView, listViews, type View } from '../../../api/data-model/views'
import { confirmation } from '../../../state/confirmation.svelte'

export async function confirmArchiving(
  entityType: EntityTypePath,
  attribute: Attribute,
  archive: () => Promise<unknown>,
): Promise<unknown> {
  const views = await viewsWith(entityType, attribute)
  if (views.length === 0) return archive()
  const names = views.map(({ title }) => `“${title}”`).join(', ')
  const description =
    views.length === 1
      ? `The view ${names} filters or sorts by it. It ignores the attribute until it is restored.`
      : `The views ${names} filter or sort by it. They ignore the attribute until it is restored.`
  return confirmation.ask({ title: `Archive ${attribute.title}?`, description, verb: 'Archive', act: archive })
}

/** Saved views name attributes by id. Those that cannot be read are left out: archiving changes no view. */
async function viewsWith(entityType: EntityTypePath, { id }: Attribute): Promise<readonly View[]> {
  const items = await listViews(entityType).catch(() => [])
  const views = await Promise.all(items.map((item) => getView(entityType, item.id.view_id).catch(() => undefined)))
  const name = JSON.stringify(id.attribute_id)
  return views
    .filter((view) => view !== undefined)
    .filter(({ filter, sorts }) => JSON.stringify([filter, sorts]).includes(name))
}

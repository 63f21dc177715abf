/** The saved views of objects, lists and activities. */

import type { EntityTypePath } from '../api/data-model/attributes'
import { listViews, type ViewItem } from '../api/data-model/views'
import { QueryCache } from './reads/query-cache.svelte'
import type { RemoteData } from './reads/remote-data.svelte'

const cache = new QueryCache<ViewItem[]>()

/** The views for a screen that opens: known ones are shown at once and loaded again, so that only the first table of an object waits for a request. */
export const openViews = (entityType: EntityTypePath): RemoteData<ViewItem[]> =>
  cache.open(`${entityType.kind}/${entityType.slug}`, (signal) => listViews(entityType, signal))

/**
 * The id of the view that opens for everyone; null without one. There is one of each object, list and activity at most. A table is shown
 * without its default view when the views cannot be read.
 */
export async function findDefaultView(views: RemoteData<ViewItem[]>): Promise<string | null> {
  const known = await views.loaded().catch(() => [])
  return known.find(({ is_default }) => is_default)?.id.view_id ?? null
}

/** The views that open for everyone: one of each object, list and activity at most. */

import type { EntityTypePath } from '../api/data-model/attributes'
import { listViews } from '../api/data-model/views'
import { session } from './session.svelte'

const known = new Map<string, Promise<string | null>>()

/**
 * The id of the view that opens for everyone; null without one. What is known is returned at once and read again for the next time,
 * so that only the first table of an object waits for a request.
 */
export function defaultViewOf(entityType: EntityTypePath): Promise<string | null> {
  const key = `${session.workspace?.id} ${entityType.kind} ${entityType.slug}`
  const read = readDefault(entityType)
  const before = known.get(key) ?? read
  known.set(key, read)
  return before
}

/** A table is shown without its default view when the views cannot be read. */
const readDefault = async (entityType: EntityTypePath): Promise<string | null> => {
  const views = await listViews(entityType).catch(() => [])
  return views.find(({ is_default }) => is_default)?.id.view_id ?? null
}

/** After a view became or stopped being the one that opens for everyone. */
export const forgetDefaultViews = (): void => known.clear()

/** The lists whose entries the caller sees in the activity of a record. */

import { visibleLists } from '#access/list-access/list-access'
import type { ListType } from '#engine/data-model/model'
import type { Scope } from '#vocabulary/scopes'
import { listsOf } from '#engine/storage/find-records'
import type { ActivityRead } from './source'

export const ENTRY_SCOPES: readonly Scope[] = ['list_entry:read', 'list_configuration:read']

export function visibleListsOf({ context, object }: Pick<ActivityRead, 'context' | 'object'>): ListType[] {
  const visible = new Set(visibleLists(context))
  return listsOf(context.model, object).filter((list) => visible.has(list))
}

/** JSON text of an entry. */
export const entryText = (list: ListType, entryId: string): string =>
  JSON.stringify({ list_id: list.id, list_api_slug: list.api_slug, entry_id: entryId })

/** What happened to a record. */

import type { ActivityItem, ItemType as ActivityItemType } from '#api/resources/records/activity/schemas'
import { api } from '../client'
import type { CursorPage } from '../cursor-page'
import { entityPath } from './entities'

export type { ActivityItem, ActivityItemType }

interface ActivityQuery {
  readonly types: readonly ActivityItemType[]
  readonly limit: number
  readonly cursor: string | undefined
}

/** A page, newest first; without types, of all types. */
export const listActivity = (
  object: string,
  recordId: string,
  { types, limit, cursor }: ActivityQuery,
  signal?: AbortSignal,
): Promise<CursorPage<ActivityItem>> =>
  api.get<CursorPage<ActivityItem>>(`${entityPath({ kind: 'objects', slug: object }, recordId)}/activity`, {
    query: { limit, cursor, type: types.length === 0 ? undefined : types.join(',') },
    signal,
  })

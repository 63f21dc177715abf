/** What happened to a record. */

import type { ActivityItem, ItemType as ActivityItemType } from '#api/resources/records/activity/schemas'
import { api } from '../client'
import { entityPath } from './entities'

export type { ActivityItem, ActivityItemType }

export interface ActivityPage {
  readonly data: readonly ActivityItem[]
  readonly pagination: { readonly next_cursor: string | null }
}

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
): Promise<ActivityPage> =>
  api.get<ActivityPage>(`${entityPath({ kind: 'objects', slug: object }, recordId)}/activity`, {
    query: { limit, cursor, type: types.length === 0 ? undefined : types.join(',') },
    signal,
  })

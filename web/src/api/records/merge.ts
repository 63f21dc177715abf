/** The preview of a merge, and pairs of records that are no duplicates. */

import type { Dismissal } from '#api/console/duplicates/schemas'
import { workspaceApi } from '../client'
import type { Values } from './entities'

export type Pair = Dismissal

/** The values of the record that a merge would make. */
export async function previewMerge(
  object: string,
  { primaryId, secondaryId }: { readonly primaryId: string; readonly secondaryId: string },
  signal: AbortSignal,
): Promise<Values> {
  const body = { object, primary_record_id: primaryId, secondary_record_id: secondaryId }
  return (await workspaceApi.post<{ data: { values: Values } }>('/merge-previews', { body, signal })).data.values
}

/** The ids of the records that this one is no duplicate of. */
export const listDismissed = async (object: string, record_id: string, signal: AbortSignal): Promise<string[]> =>
  (await workspaceApi.get<{ data: string[] }>('/dismissed-duplicates', { query: { object, record_id }, signal })).data

export const dismissDuplicate = (pair: Pair): Promise<unknown> =>
  workspaceApi.post('/dismissed-duplicates', { body: pair })

export const restoreDuplicate = (pair: Pair): Promise<unknown> =>
  workspaceApi.delete('/dismissed-duplicates', { query: { ...pair } })

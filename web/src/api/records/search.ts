/** The search for records of objects and activities. */

import type { SearchAnswer } from '#api/resources/records/search/schemas'
import { api } from '../client'

export type FoundRecord = SearchAnswer['data'][number]

export async function searchRecords(
  query: string,
  objects: readonly string[],
  signal: AbortSignal,
): Promise<FoundRecord[]> {
  const body = { query, objects, request_as: { type: 'workspace' }, limit: 8 }
  return (await api.post<SearchAnswer>('/objects/records/search', { body, signal })).data
}

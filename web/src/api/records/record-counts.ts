/** The numbers of what is attached to a record. */

import type { RecordCountsAnswer } from '#api/console/counts/schemas'
import { workspaceApi } from '../client'

export type RecordCounts = RecordCountsAnswer['data']

/** Reads that are running, by the record. The tabs of a record ask for their numbers at the same time. */
const running = new Map<string, Promise<RecordCounts>>()

/** Each number is at most 100. */
export function countAttached(object: string, recordId: string): Promise<RecordCounts> {
  const key = `${object} ${recordId}`
  const shared = running.get(key)
  if (shared) return shared
  const read = workspaceApi
    .get<RecordCountsAnswer>('/record-counts', { query: { object, record_id: recordId } })
    .then(({ data }) => data)
    .finally(() => running.delete(key))
  running.set(key, read)
  return read
}

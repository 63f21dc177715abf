/** Deleted records, which can be restored for some days. */

import type { Static } from 'typebox'
import type { ActivityTrashAnswer, TrashAnswer } from '#api/entities/trash-schemas'
import { api } from '../client'
import type { CursorPage } from '../cursor-page'
import type { RecordTypePath } from '../data-model/attributes'
import { entitiesPath, entityPath } from './entities'

/** Records of activities cannot be merged, and have a time. */
export type TrashedRecord = Static<typeof TrashAnswer | typeof ActivityTrashAnswer>['data'][number] & {
  readonly merged_into?: string
  readonly timestamp?: string
}

export const listTrash = (
  type: RecordTypePath,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<CursorPage<TrashedRecord>> =>
  api.get<CursorPage<TrashedRecord>>(`${entitiesPath(type)}/trash`, {
    query: cursor === undefined ? {} : { cursor },
    signal,
  })

export const restoreRecord = (type: RecordTypePath, id: string): Promise<unknown> =>
  api.post(`${entityPath(type, id)}/restore`, {})

export const deletePermanently = (type: RecordTypePath, id: string, erasesTasks: boolean): Promise<unknown> =>
  api.delete(entityPath(type, id), { query: { permanent: true, ...(erasesTasks && { erase_tasks: true }) } })

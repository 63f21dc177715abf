/** Deleted records, which can be restored for some days. */

import type { Static } from 'typebox'
import type { TrashAnswer } from '#api/entities/trash-schemas'
import { api } from '../client'
import type { CursorPage } from '../cursor-page'
import { entitiesPath, entityPath } from './entities'

export type TrashedRecord = Static<typeof TrashAnswer>['data'][number]

const objectPath = (slug: string) => ({ kind: 'objects', slug }) as const

export const listTrash = (
  object: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<CursorPage<TrashedRecord>> =>
  api.get<CursorPage<TrashedRecord>>(`${entitiesPath(objectPath(object))}/trash`, {
    query: cursor === undefined ? {} : { cursor },
    signal,
  })

export const restoreRecord = (object: string, id: string): Promise<unknown> =>
  api.post(`${entityPath(objectPath(object), id)}/restore`, {})

export const deletePermanently = (object: string, id: string, erasesTasks: boolean): Promise<unknown> =>
  api.delete(entityPath(objectPath(object), id), { query: { permanent: true, erase_tasks: erasesTasks } })

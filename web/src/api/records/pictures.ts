/** The pictures of records. */

import type { RecordPicture } from '#api/console/record-pictures/schemas'
import { workspaceApi } from '../client'

export type { RecordPicture }

/** The number of records of which one request reads the pictures. */
export const MAX_PICTURES = 100

/** Of records of one object, without those that have no picture. */
export const listPictures = async (object: string, ids: readonly string[]): Promise<RecordPicture[]> =>
  (
    await workspaceApi.get<{ data: RecordPicture[] }>(`/objects/${object}/pictures`, {
      query: { record_ids: ids.join(',') },
    })
  ).data

const pathOf = (object: string, id: string): string => `/objects/${object}/records/${id}/picture`

export const uploadRecordPicture = (object: string, id: string, picture: Blob): Promise<unknown> =>
  workspaceApi.put(pathOf(object, id), { body: picture })

export const removeRecordPicture = (object: string, id: string): Promise<unknown> =>
  workspaceApi.delete(pathOf(object, id))

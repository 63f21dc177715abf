/** Objects of the workspace. */

import type { DeletedObjectOutput, DeletionCounts, ObjectInput, ObjectOutput } from '#api/resources/objects/schemas'
import { api } from '../client'
import { isStandardObject, withShownNouns } from './standard-names'

type One = { data: ObjectOutput }

/** With their names as shown. */
export const listObjects = async (signal?: AbortSignal): Promise<ObjectOutput[]> => {
  const { data } = await api.get<{ data: ObjectOutput[] }>('/objects', { signal })
  return data.map((object) => (isStandardObject(object.api_slug) ? withShownNouns(object) : object))
}

export const createObject = async (input: ObjectInput): Promise<ObjectOutput> =>
  (await api.post<One>('/objects', { body: { data: input } })).data

export const updateObject = async (slug: string, change: Partial<ObjectInput>): Promise<ObjectOutput> =>
  (await api.patch<One>(`/objects/${encodeURIComponent(slug)}`, { body: { data: change } })).data

/** Deletes a custom object with its records. It can be restored for some days. */
export const deleteObject = (slug: string): Promise<unknown> => api.delete(`/objects/${encodeURIComponent(slug)}`)

/** What a deletion would delete. */
export const countDeletion = async (slug: string): Promise<DeletionCounts> =>
  (await api.delete<{ data: DeletionCounts }>(`/objects/${encodeURIComponent(slug)}`, { query: { dry_run: true } }))
    .data

export const listDeletedObjects = async (signal?: AbortSignal): Promise<DeletedObjectOutput[]> =>
  (await api.get<{ data: DeletedObjectOutput[] }>('/trash/objects', { signal })).data

/** With other names, where another object has these meanwhile. */
export const restoreObject = async (id: string, names?: ObjectInput): Promise<ObjectOutput> =>
  (await api.post<One>(`/objects/${id}/restore`, { body: names === undefined ? {} : { data: names } })).data

/** Of a deleted object. */
export const deleteObjectPermanently = (id: string): Promise<unknown> =>
  api.delete(`/objects/${id}`, { query: { permanent: true } })

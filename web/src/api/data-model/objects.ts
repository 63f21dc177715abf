/** Objects of the workspace. */

import type { ObjectInput, ObjectOutput } from '#api/resources/objects/schemas'
import { api } from '../client'

type One = { data: ObjectOutput }

export const listObjects = async (signal?: AbortSignal): Promise<ObjectOutput[]> =>
  (await api.get<{ data: ObjectOutput[] }>('/objects', { signal })).data

export const getObject = async (slug: string): Promise<ObjectOutput> =>
  (await api.get<One>(`/objects/${encodeURIComponent(slug)}`)).data

export const createObject = async (input: ObjectInput): Promise<ObjectOutput> =>
  (await api.post<One>('/objects', { body: { data: input } })).data

export const updateObject = async (slug: string, change: Partial<ObjectInput>): Promise<ObjectOutput> =>
  (await api.patch<One>(`/objects/${encodeURIComponent(slug)}`, { body: { data: change } })).data

/** Deletes a custom object with its records. */
export const deleteObject = (slug: string): Promise<unknown> =>
  api.delete(`/objects/${encodeURIComponent(slug)}`, { query: { force: true } })

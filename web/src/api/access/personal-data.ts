/** What the workspace stores of a person. */

import type { ErasureOutput } from '#api/console/personal-data/schemas'
import { workspaceApi } from '../client'

export type { ErasureOutput }

export const previewErasure = async (email_address: string): Promise<ErasureOutput> =>
  (await workspaceApi.post<{ data: ErasureOutput }>('/personal-data/preview', { body: { email_address } })).data

export const erasePerson = async (email_address: string, confirmation: string): Promise<ErasureOutput> =>
  (await workspaceApi.post<{ data: ErasureOutput }>('/personal-data/erase', { body: { email_address, confirmation } }))
    .data

/** Returns the archive. */
export const exportPerson = async (email_address: string): Promise<Blob> =>
  (await workspaceApi.postForStream('/personal-data/export', { body: { email_address } })).blob()

/** The domains of the workspace, and the requests of its identity provider. */

import type { DomainOutput } from '#api/console/domains/schemas'
import type { ScimRequest, ScimStatus } from '#api/console/scim/schemas'
import { workspaceApi } from '../client'

export type Domain = DomainOutput
export type { ScimRequest, ScimStatus }

export const listDomains = async (signal?: AbortSignal): Promise<Domain[]> =>
  (await workspaceApi.get<{ data: Domain[] }>('/domains', { signal })).data

export const addDomain = async (domain: string): Promise<Domain> =>
  (await workspaceApi.post<{ data: Domain }>('/domains', { body: { domain } })).data

export const verifyDomain = async (id: string): Promise<Domain> =>
  (await workspaceApi.post<{ data: Domain }>(`/domains/${id}/verify`)).data

export const removeDomain = (id: string): Promise<unknown> => workspaceApi.delete(`/domains/${id}`)

export const readScimStatus = async (signal?: AbortSignal): Promise<ScimStatus> =>
  (await workspaceApi.get<{ data: ScimStatus }>('/scim', { signal })).data

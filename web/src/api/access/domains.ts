/** The domains of the workspace, and the requests of its identity provider. */

import { workspaceApi } from '../client'

export interface Domain {
  readonly id: string
  readonly domain: string
  /** The TXT record that proves the control of the domain. */
  readonly record: { readonly name: string; readonly value: string }
  readonly created_at: string
  readonly verified_at: string | null
}

export interface ScimRequest {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** The text of the error. */
  readonly detail: string | null
  readonly user_agent: string | null
  readonly duration_ms: number
  readonly created_at: string
}

export interface ScimStatus {
  readonly base_url: string
  /** Newest first. */
  readonly requests: readonly ScimRequest[]
}

export const listDomains = async (signal?: AbortSignal): Promise<Domain[]> =>
  (await workspaceApi.get<{ data: Domain[] }>('/domains', { signal })).data

export const addDomain = async (domain: string): Promise<Domain> =>
  (await workspaceApi.post<{ data: Domain }>('/domains', { body: { domain } })).data

export const verifyDomain = async (id: string): Promise<Domain> =>
  (await workspaceApi.post<{ data: Domain }>(`/domains/${id}/verify`)).data

export const removeDomain = (id: string): Promise<unknown> => workspaceApi.delete(`/domains/${id}`)

export const readScimStatus = async (signal?: AbortSignal): Promise<ScimStatus> =>
  (await workspaceApi.get<{ data: ScimStatus }>('/scim', { signal })).data

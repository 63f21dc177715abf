/** Test endpoints, which accept any request, and the requests that they received. */

import type { TestEndpoint, TestEndpointInput, TestRequest } from '#api/resources/test-endpoints/schemas'
import { api } from '../client'
import type { CursorPage } from '../cursor-page'

export type { TestEndpoint, TestEndpointInput, TestRequest }

type One = { data: TestEndpoint }

const pathOf = (id: string): string => `/test_endpoints/${encodeURIComponent(id)}`

export const listTestEndpoints = async (signal?: AbortSignal): Promise<TestEndpoint[]> =>
  (await api.get<{ data: TestEndpoint[] }>('/test_endpoints', { signal })).data

export const getTestEndpoint = async (id: string, signal?: AbortSignal): Promise<TestEndpoint> =>
  (await api.get<One>(pathOf(id), { signal })).data

export const createTestEndpoint = async (input: TestEndpointInput = {}): Promise<TestEndpoint> =>
  (await api.post<One>('/test_endpoints', { body: { data: input } })).data

export const updateTestEndpoint = async (id: string, change: TestEndpointInput): Promise<TestEndpoint> =>
  (await api.patch<One>(pathOf(id), { body: { data: change } })).data

/** Deletes the received requests, too. */
export const deleteTestEndpoint = (id: string): Promise<unknown> => api.delete(pathOf(id))

/** The newest first. `before` is the id of the request after which a page begins. */
export const listTestRequests = (
  id: string,
  query: { readonly before?: string | undefined },
  signal?: AbortSignal,
): Promise<CursorPage<TestRequest>> =>
  api.get<CursorPage<TestRequest>>(`${pathOf(id)}/requests`, { query: { limit: 50, ...query }, signal })

/** The event stream of received requests. */
export const requestsStream = (id: string): string => `${pathOf(id)}/stream`

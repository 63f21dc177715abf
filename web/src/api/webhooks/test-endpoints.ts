/** Addresses of our own that take any request, and what came to them. */

import type { TestEndpoint, TestEndpointInput, TestRequest } from '../../../../server/resources/test-endpoints/schemas'
import { api } from '../client'
import type { PageOf } from './deliveries'

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

/** With all it has received. */
export const deleteTestEndpoint = (id: string): Promise<unknown> => api.delete(pathOf(id))

/** The newest first, those received before one of them. */
export const listTestRequests = (
  id: string,
  query: { readonly before?: string | undefined },
  signal?: AbortSignal,
): Promise<PageOf<TestRequest>> =>
  api.get<PageOf<TestRequest>>(`${pathOf(id)}/requests`, { query: { limit: 50, ...query }, signal })

/** Where requests are told of as they come. */
export const requestsStream = (id: string): string => `${pathOf(id)}/stream`

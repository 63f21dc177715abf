/** The retention rules of objects. */

import type { RetentionBody, RetentionOutput, RetentionPreview } from '#api/console/retention/schemas'
import { workspaceApi } from '../client'

export type { RetentionOutput, RetentionPreview }
export type RetentionRule = NonNullable<RetentionBody['rule']>

export const readRetention = async (objectId: string, signal?: AbortSignal): Promise<RetentionOutput> =>
  (await workspaceApi.get<{ data: RetentionOutput }>(`/objects/${objectId}/retention`, { signal })).data

/** Null turns the rule off. */
export const replaceRetention = async (objectId: string, rule: RetentionRule | null): Promise<RetentionOutput> =>
  (await workspaceApi.put<{ data: RetentionOutput }>(`/objects/${objectId}/retention`, { body: { rule } })).data

export const previewRetention = async (objectId: string, days: number): Promise<RetentionPreview> =>
  (await workspaceApi.post<{ data: RetentionPreview }>(`/objects/${objectId}/retention/preview`, { body: { days } }))
    .data

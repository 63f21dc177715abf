/** The endpoint for assistants and the last calls of their tools. */

import { workspaceApi } from '../client'

export interface AssistantCall {
  readonly id: string
  /** The name of the app or the API key; null when it was deleted. */
  readonly client_name: string | null
  readonly tool: string
  readonly subject: string | null
  readonly subject_id: string | null
  /** The HTTP status of the operation. */
  readonly status: number
  readonly duration_ms: number
  readonly created_at: string
}

export interface Assistants {
  readonly url: string
  readonly calls: readonly AssistantCall[]
}

export const getAssistants = async (signal?: AbortSignal): Promise<Assistants> =>
  (await workspaceApi.get<{ data: Assistants }>('/assistants', { signal })).data

/** The endpoint for assistants and the last calls of their tools. */

import type { AssistantCall, Assistants } from '#api/console/assistants/schemas'
import { workspaceApi } from '../client'

export type { AssistantCall, Assistants }

export const getAssistants = async (signal?: AbortSignal): Promise<Assistants> =>
  (await workspaceApi.get<{ data: Assistants }>('/assistants', { signal })).data

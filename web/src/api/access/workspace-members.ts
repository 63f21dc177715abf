/** Members of the workspace in the public API, to which values refer. */

import type { WorkspaceMemberOutput } from '#api/resources/workspace-members/schemas'
import { api } from '../client'

export type WorkspaceMember = WorkspaceMemberOutput

export const listWorkspaceMembers = async (signal?: AbortSignal): Promise<WorkspaceMember[]> =>
  (await api.get<{ data: WorkspaceMember[] }>('/workspace_members', { signal })).data

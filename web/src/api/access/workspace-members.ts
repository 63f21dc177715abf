/** Members of the workspace as the public API has them: those whom values name. */

import type { WorkspaceMemberOutput } from '../../../../server/resources/workspace-members/schemas'
import { api } from '../client'

export type WorkspaceMember = WorkspaceMemberOutput

export const listWorkspaceMembers = async (signal?: AbortSignal): Promise<WorkspaceMember[]> =>
  (await api.get<{ data: WorkspaceMember[] }>('/workspace_members', { signal })).data

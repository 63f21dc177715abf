/** Workspaces. */

import type { BackupsOutput } from '#api/console/installation/schemas'
import type {
  NewWorkspaceAnswer,
  WorkspaceBody,
  WorkspaceChangeBody,
  WorkspaceDeletionAnswer,
  WorkspaceOutput,
} from '#api/console/workspaces/schemas'
import { consoleApi, workspaceApi } from '../client'

export type WorkspaceDetails = WorkspaceOutput

type One = { data: WorkspaceDetails }

export const createWorkspace = async (input: WorkspaceBody): Promise<NewWorkspaceAnswer['data']> =>
  (await consoleApi.post<NewWorkspaceAnswer>('/workspaces', { body: input })).data

export const getWorkspace = async (): Promise<WorkspaceDetails> => (await workspaceApi.get<One>('')).data

/** Ends the hold of webhooks and emails, for the whole installation. */
export const decideInstallation = (decision: 'move' | 'copy'): Promise<unknown> =>
  workspaceApi.post('/installation', { body: { decision } })

/** The scheduled backups of the service; null when there are none. */
export const getBackups = async (signal: AbortSignal): Promise<{ readonly backups: BackupsOutput | null }> => ({
  backups: (await workspaceApi.get<{ data: BackupsOutput | null }>('/installation/backups', { signal })).data,
})

export const updateWorkspace = async (change: WorkspaceChangeBody): Promise<WorkspaceDetails> =>
  (await workspaceApi.patch<One>('', { body: change })).data

/** The name confirms it. Returns until when the workspace can be restored. */
export const deleteWorkspace = async (name: string): Promise<string> =>
  (await workspaceApi.delete<WorkspaceDeletionAnswer>('', { body: { name } })).data.removed_at

export const restoreWorkspace = async (id: string): Promise<WorkspaceDetails> =>
  (await consoleApi.post<One>(`/workspaces/${id}/restore`)).data

/** Workspaces. */

import type { Permission } from '#vocabulary/roles'
import { consoleApi, workspaceApi } from '../client'

export interface WorkspaceDetails {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly logo_url: string | null
  /** Whether the service creates people of participants, and companies of email domains. */
  readonly creates_contacts: boolean
  /** What members who are no admins may do as well. */
  readonly member_permissions: readonly Permission[]
  /** The country whose national form phone numbers may have. */
  readonly default_country: string | null
}

type One = { data: WorkspaceDetails }

export const createWorkspace = async (input: { name: string; slug: string }): Promise<WorkspaceDetails> =>
  (await consoleApi.post<One>('/workspaces', { body: input })).data

export const getWorkspace = async (): Promise<WorkspaceDetails> => (await workspaceApi.get<One>('')).data

/** Ends the hold of webhooks and emails, for the whole installation. */
export const decideInstallation = (decision: 'move' | 'copy'): Promise<unknown> =>
  workspaceApi.post('/installation', { body: { decision } })

export const updateWorkspace = async (change: Partial<Omit<WorkspaceDetails, 'id'>>): Promise<WorkspaceDetails> =>
  (await workspaceApi.patch<One>('', { body: change })).data

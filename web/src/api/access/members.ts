/** Members of the workspace and invitations to it. */

import { consoleApi, workspaceApi } from '../client'
import type { AccessLevel } from './session'

export interface Member {
  readonly id: string
  readonly first_name: string
  readonly last_name: string
  readonly email_address: string
  readonly avatar_url: string | null
  readonly access_level: AccessLevel
  readonly created_at: string
  /** A member without an account was only named in values and cannot sign in. */
  readonly has_account: boolean
}

export interface Invitation {
  readonly id: string
  readonly email_address: string
  readonly access_level: InvitedLevel
  readonly invited_by_workspace_member_id: string
  readonly created_at: string
  readonly expires_at: string
}

export type InvitedLevel = Exclude<AccessLevel, 'suspended'>

/** An invitation as the page of its link shows it. */
export interface ReceivedInvitation {
  readonly workspace: { readonly name: string; readonly logo_url: string | null }
  readonly email_address: string
  readonly access_level: InvitedLevel
  readonly invited_by: { readonly first_name: string; readonly last_name: string }
  readonly has_account: boolean
  readonly expires_at: string
}

export interface Acceptance {
  readonly first_name: string
  readonly last_name: string
  readonly password?: string
}

export const nameOf = ({ first_name, last_name }: { first_name: string; last_name: string }): string =>
  `${first_name} ${last_name}`.trim()

export const listMembers = async (signal?: AbortSignal): Promise<Member[]> =>
  (await workspaceApi.get<{ data: Member[] }>('/members', { signal })).data

export const updateMember = async (
  id: string,
  change: Partial<Pick<Member, 'access_level' | 'first_name' | 'last_name'>>,
): Promise<Member> => (await workspaceApi.patch<{ data: Member }>(`/members/${id}`, { body: change })).data

export const uploadPicture = (id: string, picture: Blob): Promise<unknown> =>
  workspaceApi.put(`/members/${id}/picture`, { body: picture })

export const removePicture = (id: string): Promise<unknown> => workspaceApi.delete(`/members/${id}/picture`)

export const listInvitations = async (signal?: AbortSignal): Promise<Invitation[]> =>
  (await workspaceApi.get<{ data: Invitation[] }>('/invitations', { signal })).data

/** `invite_url` is the link of the invitation; null when the service sent it by email. */
export const invite = async (
  email_address: string,
  access_level: InvitedLevel,
): Promise<Invitation & { invite_url: string | null }> =>
  (
    await workspaceApi.post<{ data: Invitation & { invite_url: string | null } }>('/invitations', {
      body: { email_address, access_level },
    })
  ).data

export const deleteInvitation = (id: string): Promise<unknown> => workspaceApi.delete(`/invitations/${id}`)

export const readInvitation = async (token: string): Promise<ReceivedInvitation> =>
  (await consoleApi.get<{ data: ReceivedInvitation }>(`/invitations/${encodeURIComponent(token)}`)).data

export const acceptInvitation = (token: string, acceptance: Acceptance): Promise<unknown> =>
  consoleApi.post(`/invitations/${encodeURIComponent(token)}/accept`, { body: acceptance })

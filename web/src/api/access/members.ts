/** Members of the workspace and invitations to it. */

import type {
  AcceptanceBody,
  InvitationOutput,
  NewInvitationOutput,
  ReceivedInvitation,
} from '#api/console/invitations/schemas'
import type { MemberChangeBody, MemberOutput } from '#api/console/members/schemas'
import { consoleApi, workspaceApi } from '../client'
import type { AccessLevel, FirstStep } from './session'

export type Member = MemberOutput
export type Invitation = InvitationOutput
export type Acceptance = AcceptanceBody
export type { ReceivedInvitation }

export type InvitedLevel = Exclude<AccessLevel, 'suspended'>

export const nameOf = ({ first_name, last_name }: { first_name: string; last_name: string }): string =>
  `${first_name} ${last_name}`.trim()

export const listMembers = async (signal?: AbortSignal): Promise<Member[]> =>
  (await workspaceApi.get<{ data: Member[] }>('/members', { signal })).data

export const updateMember = async (id: string, change: MemberChangeBody): Promise<Member> =>
  (await workspaceApi.patch<{ data: Member }>(`/members/${id}`, { body: change })).data

export const uploadPicture = (id: string, picture: Blob): Promise<unknown> =>
  workspaceApi.put(`/members/${id}/picture`, { body: picture })

export const removePicture = (id: string): Promise<unknown> => workspaceApi.delete(`/members/${id}/picture`)

export const listInvitations = async (signal?: AbortSignal): Promise<Invitation[]> =>
  (await workspaceApi.get<{ data: Invitation[] }>('/invitations', { signal })).data

/** `invite_url` is the link of the invitation; null when the service sent it by email. */
export const invite = async (email_address: string, access_level: InvitedLevel): Promise<NewInvitationOutput> =>
  (
    await workspaceApi.post<{ data: NewInvitationOutput }>('/invitations', {
      body: { email_address, access_level },
    })
  ).data

export const deleteInvitation = (id: string): Promise<unknown> => workspaceApi.delete(`/invitations/${id}`)

export const readInvitation = async (token: string): Promise<ReceivedInvitation> =>
  (await consoleApi.get<{ data: ReceivedInvitation }>(`/invitations/${encodeURIComponent(token)}`)).data

export const acceptInvitation = async (token: string, acceptance: Acceptance): Promise<FirstStep> => {
  const path = `/invitations/${encodeURIComponent(token)}/accept`
  return (await consoleApi.post<{ data: FirstStep }>(path, { body: acceptance })).data
}

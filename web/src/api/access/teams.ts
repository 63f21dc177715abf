/** Teams of members, and the lists that are shared with them. */

import type { ListTeam, TeamOutput } from '#api/console/teams/schemas'
import { workspaceApi } from '../client'

export type Team = TeamOutput
export type { ListTeam }

export const listTeams = async (signal?: AbortSignal): Promise<Team[]> =>
  (await workspaceApi.get<{ data: Team[] }>('/teams', { signal })).data

export const createTeam = (name: string): Promise<unknown> => workspaceApi.post('/teams', { body: { name } })

export const renameTeam = (id: string, name: string): Promise<unknown> =>
  workspaceApi.patch(`/teams/${id}`, { body: { name } })

export const deleteTeam = (id: string): Promise<unknown> => workspaceApi.delete(`/teams/${id}`)

export const addTeamMember = (id: string, memberId: string): Promise<unknown> =>
  workspaceApi.put(`/teams/${id}/members/${memberId}`)

export const removeTeamMember = (id: string, memberId: string): Promise<unknown> =>
  workspaceApi.delete(`/teams/${id}/members/${memberId}`)

export const readListTeams = async (list: string, signal?: AbortSignal): Promise<ListTeam[]> =>
  (await workspaceApi.get<{ data: ListTeam[] }>(`/lists/${list}/teams`, { signal })).data

export const replaceListTeams = (list: string, teams: readonly ListTeam[]): Promise<unknown> =>
  workspaceApi.put(`/lists/${list}/teams`, { body: { teams } })

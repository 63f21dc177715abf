/** The signed-in account: its sessions, its language and its password. */

import type { Language } from '#vocabulary/languages'
import type { AccountSession } from '#api/console/account/schemas'
import { consoleApi } from '../client'

export type { AccountSession }

export const setLanguage = (language: Language): Promise<unknown> =>
  consoleApi.patch('/account', { body: { language } })

export const listSessions = async (signal: AbortSignal): Promise<AccountSession[]> =>
  (await consoleApi.get<{ data: AccountSession[] }>('/sessions', { signal })).data

export const endSession = (id: string): Promise<unknown> => consoleApi.delete(`/sessions/${id}`)

export const changePassword = (current_password: string, new_password: string): Promise<unknown> =>
  consoleApi.post('/password', { body: { current_password, new_password } })

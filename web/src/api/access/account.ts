/** The signed-in account: its sessions and its password. */

import { consoleApi } from '../client'
import type { SecondFactorMethod } from './session'

export interface AccountSession {
  readonly id: string
  readonly user_agent: string
  readonly address: string | null
  readonly created_at: string
  readonly last_used_at: string
  readonly method: 'password' | 'passkey' | 'provider'
  readonly second_factor: SecondFactorMethod | 'provider' | null
  readonly is_current: boolean
}

export const listSessions = async (signal: AbortSignal): Promise<AccountSession[]> =>
  (await consoleApi.get<{ data: AccountSession[] }>('/sessions', { signal })).data

export const endSession = (id: string): Promise<unknown> => consoleApi.delete(`/sessions/${id}`)

export const changePassword = (current_password: string, new_password: string): Promise<unknown> =>
  consoleApi.post('/password', { body: { current_password, new_password } })

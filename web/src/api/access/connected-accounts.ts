/** The connected email and calendar accounts of the signed-in member. */

import type {
  AccountChangeBody,
  AccountOutput,
  Exclusions,
  NewAccountBody,
  Proposal,
  SignInBody,
} from '#api/console/connected-accounts/schemas'
import { workspaceApi } from '../client'

export type Account = AccountOutput
export type ProposedAccount = Proposal
export type Sharing = Account['sharing']
type NewOf<K extends AccountKind> = Omit<Extract<NewAccountBody, { kind: K }>, 'secret'>
export type NewServerAccount = NewOf<'imap'> | NewOf<'caldav'>
export type Provider = ProposedAccount['provider']
export type AccountKind = Account['kind']
export type AccountOf<K extends AccountKind> = Extract<Account, { kind: K }>
export type ImapSettings = AccountOf<'imap'>['settings']
export type CalDavSettings = AccountOf<'caldav'>['settings']

const PATH = '/connected-accounts'

export const listAccounts = async (signal?: AbortSignal): Promise<Account[]> =>
  (await workspaceApi.get<{ data: Account[] }>(PATH, { signal })).data

export const proposeAccounts = async <K extends ProposedAccount['kind']>(
  kind: K,
  email_address: string,
): Promise<Extract<ProposedAccount, { kind: K }>[]> => {
  const body = { kind, email_address }
  return (await workspaceApi.post<{ data: Extract<ProposedAccount, { kind: K }>[] }>(`${PATH}/discover`, { body })).data
}

export const connectAccount = (body: NewAccountBody): Promise<unknown> => workspaceApi.post(PATH, { body })

/** Returns the address of the provider's page. */
export const beginSignIn = async (body: SignInBody): Promise<string> =>
  (await workspaceApi.post<{ data: { url: string } }>(`${PATH}/sign-in`, { body })).data.url

/** `query` is that of the address to which the provider has sent the browser. */
export const finishSignIn = async (query: string): Promise<Account> =>
  (await workspaceApi.post<{ data: Account }>(`${PATH}/signed-in`, { body: { query } })).data

export const changeAccount = (id: string, body: AccountChangeBody): Promise<unknown> =>
  workspaceApi.patch(`${PATH}/${id}`, { body })

export const readAccountNow = (id: string): Promise<unknown> => workspaceApi.post(`${PATH}/${id}/read`)

export const removeAccount = (id: string): Promise<unknown> => workspaceApi.delete(`${PATH}/${id}`)

export const readExclusions = async (signal?: AbortSignal): Promise<Exclusions> =>
  (await workspaceApi.get<{ data: Exclusions }>('/excluded-addresses', { signal })).data

export const saveExclusions = async (patterns: readonly string[]): Promise<Exclusions> =>
  (await workspaceApi.put<{ data: Exclusions }>('/excluded-addresses', { body: { patterns } })).data

/** The authorization request of an app, as the consent page shows it. */

import { consoleApi } from '../client'

export interface ConsentScope {
  readonly scope: string
  readonly area: string
  readonly level: 'read' | 'read-write'
  readonly words: string
  readonly is_dangerous: boolean
  /** The workspaces that have not granted this scope to the app yet. */
  readonly is_new_in: readonly string[]
}

export interface Consent {
  readonly consent_token: string
  readonly app: {
    readonly name: string
    readonly developer_name: string | null
    readonly logo_url: string | null
    readonly website_url: string | null
    readonly is_registered_by_itself: boolean
  }
  readonly redirect_uri: string
  readonly redirect_host: string
  readonly is_loopback: boolean
  readonly workspaces: readonly {
    readonly id: string
    readonly name: string
    readonly slug: string
    readonly logo_url: string | null
  }[]
  readonly workspace_id: string | null
  readonly scopes: readonly ConsentScope[]
}

/** `search` is the query of the app's authorization request. */
export const readConsent = async (search: URLSearchParams): Promise<Consent> =>
  (await consoleApi.get<{ data: Consent }>(`/authorize?${search}`)).data

/** The authorization request of an app, as the consent page shows it. */

import type { Consent, ConsentScope } from '#api/console/authorize/schemas'
import { consoleApi } from '../client'

export type { Consent, ConsentScope }

/** `search` is the query of the app's authorization request. */
export const readConsent = async (search: URLSearchParams): Promise<Consent> =>
  (await consoleApi.get<{ data: Consent }>(`/authorize?${search}`)).data

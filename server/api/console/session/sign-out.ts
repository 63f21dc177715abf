/** Sign-out at the provider that began a session (OpenID Connect RP-Initiated Logout). See docs/reference/sign-in.md (Sign-out). */

import type { AppContext, ServiceSettings } from '#context'

/** The page to which a provider returns the browser after a sign-out. */
export const signOutRedirectUri = ({ appUrl }: Pick<ServiceSettings, 'appUrl'>): string => `${appUrl}/sign-in`

/** The browser goes to this URL after the end of its session, when it is not null. */
export function renderSignOut({ settings }: AppContext, providerUrl: string | null): object {
  if (providerUrl === null) return { provider_sign_out_url: null }
  const url = new URL(providerUrl)
  url.searchParams.set('post_logout_redirect_uri', signOutRedirectUri(settings))
  return { provider_sign_out_url: url.href }
}

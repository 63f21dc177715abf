/** Goes where somebody wanted to go before they had to sign in. */

import { goTo, location } from '../../router/location.svelte'
import { session } from '../../state/session.svelte'

export async function goAfterSignIn(): Promise<void> {
  await session.load()
  goTo(nextOf(location.search), { replace: true })
}

/** Only addresses of our own: what stands in a link must not lead elsewhere. */
function nextOf(search: URLSearchParams): string {
  const next = search.get('next') ?? ''
  const url = URL.parse(next, window.location.origin)
  const isOurs = next.startsWith('/') && url?.origin === window.location.origin
  return isOurs ? url.pathname + url.search : '/objects'
}

/** Continues to the page that required the sign-in. */

import { goTo, location } from '../../router/location.svelte'
import { session } from '../../state/session.svelte'

export async function goAfterSignIn(): Promise<void> {
  await session.load()
  goTo(nextOf(location.search), { replace: true })
}

/** The page in the parameter `next`. URLs of other sites are ignored, because links can set it. */
function nextOf(search: URLSearchParams): string {
  const next = search.get('next') ?? ''
  const url = URL.parse(next, window.location.origin)
  const isOurs = next.startsWith('/') && url?.origin === window.location.origin
  return isOurs ? url.pathname + url.search : '/objects'
}

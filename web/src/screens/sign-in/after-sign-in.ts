/** Continues to the page that required the sign-in. */

import { goTo, location } from '../../router/location.svelte'
import { session } from '../../state/session.svelte'

export async function goAfterSignIn(): Promise<void> {
  await session.loadSignedIn()
  goTo(nextOf(location.search.get('next') ?? ''), { replace: true })
}

/** The key of the next page in the storage of the tab, while the browser is at a provider. */
const STORAGE_KEY = 'after sign-in'

/** Stores the page that required the sign-in, before the browser leaves for a provider. */
export function storeNextPage(): void {
  const { pathname, search } = window.location
  const next = location.search.get('next') ?? (pathname === '/sign-in' ? '' : pathname + search)
  sessionStorage.setItem(STORAGE_KEY, next)
}

export async function goAfterProvider(): Promise<void> {
  const next = sessionStorage.getItem(STORAGE_KEY) ?? ''
  sessionStorage.removeItem(STORAGE_KEY)
  await session.loadSignedIn()
  goTo(nextOf(next), { replace: true })
}

/** The page of the console at this URL. URLs of other sites are ignored, because links can set it. */
function nextOf(next: string): string {
  const url = URL.parse(next, window.location.origin)
  const isOurs = next.startsWith('/') && url?.origin === window.location.origin
  return isOurs ? url.pathname + url.search : '/home'
}

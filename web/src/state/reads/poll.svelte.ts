import type { RemoteData } from './remote-data.svelte'

const USUAL_MS = 600

/**
 * Reads again at an interval until the data no longer needs it or the service refuses a read. Called while a component is created.
 */
export function pollWhile<T>(loaded: RemoteData<T>, isNeeded: (data: T) => boolean, everyMs = USUAL_MS): void {
  $effect(() => {
    if (loaded.isLoading || loaded.error?.isClientError || loaded.data === undefined || !isNeeded(loaded.data)) return
    const timer = setTimeout(() => void loaded.load(), everyMs)
    return () => clearTimeout(timer)
  })
}

import type { RemoteData } from '../../../state/reads/remote-data.svelte'

const INTERVAL_MS = 600

/**
 * Polls until the data no longer needs it or the service refuses a read. Called while a component is created.
 */
export function pollImport<T>(loaded: RemoteData<T>, isNeeded: (data: T) => boolean): void {
  $effect(() => {
    if (loaded.isLoading || loaded.error?.isClientError || loaded.data === undefined || !isNeeded(loaded.data)) return
    const timer = setTimeout(() => void loaded.load(), INTERVAL_MS)
    return () => clearTimeout(timer)
  })
}

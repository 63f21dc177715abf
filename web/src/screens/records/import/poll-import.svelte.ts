import type { Loaded } from '../../../state/reads/loaded.svelte'

const INTERVAL_MS = 600

/**
 * Polls until the data no longer needs it or the service refuses a read. Called while a component is created.
 */
export function pollImport<T>(loaded: Loaded<T>, isNeeded: (data: T) => boolean): void {
  $effect(() => {
    if (loaded.isLoading || loaded.error?.isClientError || loaded.data === undefined || !isNeeded(loaded.data)) return
    const timer = setTimeout(() => void loaded.load(), INTERVAL_MS)
    return () => clearTimeout(timer)
  })
}

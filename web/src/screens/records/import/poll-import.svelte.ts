import type { Loaded } from '../../../state/loaded.svelte'

const LOOK_EVERY_MS = 600

/**
 * Reads again and again, a while after the last answer, as long as what was read asks for it and nothing is refused. For the
 * beginning of a component.
 */
export function pollImport<T>(loaded: Loaded<T>, isNeeded: (data: T) => boolean): void {
  $effect(() => {
    if (loaded.isLoading || loaded.error?.isClientError || loaded.data === undefined || !isNeeded(loaded.data)) return
    const timer = setTimeout(() => void loaded.load(), LOOK_EVERY_MS)
    return () => clearTimeout(timer)
  })
}

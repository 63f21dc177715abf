/** Copies text, and shows that it did. */

import { toasts } from './toasts.svelte'

export async function copyText(text: string, copiedMessage: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toasts.show(copiedMessage)
  } catch {
    toasts.fail("Couldn't copy. Your browser blocked access to the clipboard.")
  }
}

/** Texts that were not saved when their page was left. The browser keeps them for its tab. */

import { session } from '../../state/session.svelte'

const keyOf = (queryId: string | undefined): string => `sql-draft ${session.workspace?.id} ${queryId ?? ''}`

export function storeDraft(queryId: string | undefined, text: string): void {
  try {
    sessionStorage.setItem(keyOf(queryId), text)
  } catch {
    // The storage is full or turned off. The text is lost when its page is left.
  }
}

export const readDraft = (queryId: string | undefined): string | undefined =>
  sessionStorage.getItem(keyOf(queryId)) ?? undefined

export const removeDraft = (queryId: string | undefined): void => sessionStorage.removeItem(keyOf(queryId))

/**
 * Texts of comments that were not sent when their form was closed, by the id of the record, the entry, the thread or the edited
 * comment that they are for. The browser keeps them for its tab.
 */

const keyOf = (id: string): string => `comment-draft ${id}`

/** The empty text when there is no draft. */
export const findDraft = (id: string): string => sessionStorage.getItem(keyOf(id)) ?? ''

export function storeDraft(id: string, content: string): void {
  if (content.trim() === '') return removeDraft(id)
  try {
    sessionStorage.setItem(keyOf(id), content)
  } catch {
    // The storage is full or turned off: the text is in the form only.
  }
}

export const removeDraft = (id: string): void => sessionStorage.removeItem(keyOf(id))

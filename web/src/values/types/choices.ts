/** Options and statuses within values. */

/** What is there of a choice, also of one that a guess did not find. */
export function chosen(choice: unknown): { readonly id: string; readonly title: string; readonly isArchived: boolean } {
  if (typeof choice !== 'object' || choice === null) return { id: '', title: '…', isArchived: false }
  const { id, title, is_archived } = choice as {
    id: { option_id?: string; status_id?: string }
    title: string
    is_archived: boolean
  } // the service's option or status
  return { id: id.option_id ?? id.status_id ?? '', title, isArchived: is_archived }
}

/** The same colour for the same choice everywhere. */
export const toneOf = (id: string): number => [...id].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 7, 0)

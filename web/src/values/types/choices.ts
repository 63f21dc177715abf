/** The option or status that a value holds. */

/** The choice of a value. A guess for a choice that was not read yet has none. */
export function choiceIn(choice: unknown): {
  readonly id: string
  readonly title: string
  readonly isArchived: boolean
} {
  if (typeof choice !== 'object' || choice === null) return { id: '', title: '…', isArchived: false }
  const { id, title, is_archived } = choice as {
    id: { option_id?: string; status_id?: string }
    title: string
    is_archived: boolean
  } // the API's option or status
  return { id: id.option_id ?? id.status_id ?? '', title, isArchived: is_archived }
}

/** The number of the colour of a choice, which depends on its id alone. */
export const toneOf = (id: string): number => [...id].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 7, 0)

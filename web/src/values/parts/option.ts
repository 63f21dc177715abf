/** The option or status that a value holds. */

/** The option or status of a value. An optimistic value has none while the options are not read yet. */
export function optionIn(option: unknown): {
  readonly id: string
  readonly title: string
  readonly isArchived: boolean
} {
  if (typeof option !== 'object' || option === null) return { id: '', title: '…', isArchived: false }
  const { id, title, is_archived } = option as {
    id: { option_id?: string; status_id?: string }
    title: string
    is_archived: boolean
  } // the API's option or status
  return { id: id.option_id ?? id.status_id ?? '', title, isArchived: is_archived }
}

/** The number of the colour of an option, which depends on its id alone. */
export const toneOf = (id: string): number => [...id].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 7, 0)

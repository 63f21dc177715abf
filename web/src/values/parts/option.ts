/** The option or status that a value holds, and its color. */

import { OPTION_COLORS, type OptionColor } from '#vocabulary/data-model'

/** The option or status of a value. A default value has only its id, and an optimistic value has none while the options are not read yet. */
export function optionIn(option: unknown): {
  readonly id: string
  readonly title: string
  readonly isArchived: boolean
  readonly tone: number
} {
  if (typeof option !== 'object' || option === null) {
    const id = typeof option === 'string' ? option : ''
    return { id, title: '…', isArchived: false, tone: toneOf(id) }
  }
  const { id, title, is_archived, color } = option as {
    id: { option_id?: string; status_id?: string }
    title: string
    is_archived: boolean
    color?: OptionColor
  } // the API's option or status
  const optionId = id.option_id ?? id.status_id ?? ''
  return { id: optionId, title, isArchived: is_archived, tone: toneOf(optionId, color) }
}

/** How an option or status is shown. */
export interface OptionChipProps {
  readonly title: string
  readonly tone: number
  readonly isStatus: boolean
  readonly isArchived: boolean
}

export function chipOf(option: unknown, isStatus: boolean): OptionChipProps {
  const { title, tone, isArchived } = optionIn(option)
  return { title, tone, isStatus, isArchived }
}

/** The number of the color of an option in `option-tones.css`. Without a color of its own, it depends on the id alone. */
export const toneOf = (id: string, color?: OptionColor): number =>
  color === undefined
    ? [...id].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % OPTION_COLORS.length, 0)
    : OPTION_COLORS.indexOf(color)

/** The color that the fewest of these options have, for a new one. */
export function leastUsedColor(options: readonly unknown[]): OptionColor {
  const tones = options.map((option) => optionIn(option).tone)
  const countOf = (color: OptionColor) => tones.filter((tone) => tone === OPTION_COLORS.indexOf(color)).length
  return OPTION_COLORS.reduce((least, color) => (countOf(color) < countOf(least) ? color : least), 'indigo')
}

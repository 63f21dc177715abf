/** The nouns for the rows of a table. */

import { numberText } from '../../../values/formats'

export interface Nouns {
  readonly one: string
  readonly many: string
  /** "1 person", "2 people". */
  count(count: number): string
}

export const nounsOf = (one: string, many: string): Nouns => ({
  one,
  many,
  count: (count) => `${numberText(count)} ${count === 1 ? one : many}`,
})

/** SQL that conditions and indexes must have in common, so that the one can use the other. */

/** Longer texts would not fit the rows of an ordered index. */
export const SORTED_LENGTH = 500

/** Text as it is sorted: without capitals, by code point, as far as its first 500 characters decide. Spec: query 5. */
export const folded = (sql: string): string => `left(lower(${sql}), ${SORTED_LENGTH}) collate "C"`

/** All texts of a multiselect as one, to be looked through for what any of them must contain. */
export const joined = (arraySql: string): string => `relata.joined_text(${arraySql})`

/** Where a number stands among others; null, and so last, when it is none of them. */
export const rankIn = (ranked: readonly number[], sql: string): string =>
  `array_position(array[${ranked.map(integerSql).join(', ')}]::int[], ${sql})`

/** A number that stands in the text of a statement. */
export function integerSql(number: number): string {
  if (Number.isSafeInteger(number)) return String(number)
  throw new Error(`${number} is no whole number.`)
}

/** SQL expressions that conditions and indexes share. PostgreSQL uses an index only for the same expression. */

/** A longer text would not fit the row of a B-tree index. */
export const SORT_KEY_LENGTH = 500

/** The sort key of a text: its first 500 characters in lower case, compared by code point. See docs/reference/query.md (Sorts). */
export const textSortKey = (sql: string): string => `left(lower(${sql}), ${SORT_KEY_LENGTH}) collate "C"`

/** Longer texts together make an index longer than is worth reading. Far longer ones would not fit the row of a B-tree index. */
const MAX_COVERED_BYTES = 300

/**
 * The conditions on the texts of a row: that they are short enough for an index that covers aggregates, and that they are not.
 * PostgreSQL estimates that nearly all rows meet the first one.
 */
export function coveredTexts(columns: readonly string[]): readonly [short: string, long: string] {
  const bytes = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')
  const isShort = `nullif(${bytes} > ${MAX_COVERED_BYTES}, true)`
  return [`${isShort} is not null`, `${isShort} is null`]
}

/** The hash of a text, for indexes of equal texts, because the text itself may be too long for a B-tree. */
export const textHash = (sql: string): string => `hashtextextended(${sql}, 0)`

/** The hashes of the texts of an array. PostgreSQL computes them while it plans the statement. */
export const textHashes = (arraySql: string): string => `relata.text_hashes(${arraySql})`

/** All texts of a multiselect as one text, for conditions on what any of them contains. */
export const joinedTexts = (arraySql: string): string => `relata.joined_text(${arraySql})`

/** The position of a number in a list. Null, which sorts last, when the list lacks it. */
export const positionIn = (ranked: readonly number[], sql: string): string =>
  `array_position(array[${ranked.map(integerSql).join(', ')}]::int[], ${sql})`

/** Writes a whole number into the text of a statement. */
export function integerSql(number: number): string {
  if (Number.isSafeInteger(number)) return String(number)
  throw new Error(`${number} is no whole number.`)
}

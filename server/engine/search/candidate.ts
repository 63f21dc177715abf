/** The parts of a record that a search compares. */

import { CELL_SEPARATOR } from '#db/connect'
import type { Row } from '#engine/storage/layout'
import type { SearchFields } from './search-fields'
import { handleOf, wordsOf } from './words'

export interface Candidate {
  readonly id: string
  /** In PostgreSQL's text form. */
  readonly createdAt: string
  /** The words of its label. */
  readonly label: readonly string[]
  /** The words of all other searched texts. They are split on first use. */
  readonly others: readonly string[]
  /** Whole email addresses or domains. */
  readonly keys: readonly string[]
  /** In E.164 without the plus. */
  readonly phoneNumbers: readonly string[]
}

/** The select list, with the same length limits as in the index. The texts of an array are one text, which is cheaper to read. */
export const candidateColumns = ({ label, keys, handles, phoneNumbers }: SearchFields): string =>
  [
    'h.id, h.created_at',
    `left(${label}, 500)`,
    joinedSql(`(${keys})[1:100]`),
    joinedSql(`(${handles})[1:20]`),
    joinedSql(`(${phoneNumbers})[1:100]`),
  ].join(', ')

/** The select list for a comparison of labels only: `id`, `created_at` and `label`. */
export const labelColumns = ({ label }: Pick<SearchFields, 'label'>): string =>
  `h.id, h.created_at, left(${label}, 500) as label`

const joinedSql = (array: string): string => `array_to_string(${array}, E'\\x1f')`

type Cell = string | null
type Columns = readonly [id: string, createdAt: string, label: Cell, keys?: Cell, handles?: Cell, phoneNumbers?: Cell]

export function candidateFrom(row: Row): Candidate {
  const [id, createdAt, label, keys, handles, phoneNumbers] = row as Columns // in the order of `candidateColumns`
  let others: string[] | undefined
  return {
    id,
    createdAt,
    label: wordsOf(label ?? ''),
    get others() {
      others ??= wordsOf([...splitCells(keys), ...splitCells(handles).map(handleOf)].join(' '))
      return others
    },
    get keys() {
      return splitCells(keys)
    },
    get phoneNumbers() {
      return splitCells(phoneNumbers).map((number) => number.slice(1))
    },
  }
}

const splitCells = (texts: Cell | undefined): string[] => (texts ? texts.split(CELL_SEPARATOR) : [])

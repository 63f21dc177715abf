/** Records that a search looks at, as far as it compares them. */

import { CELL_SEPARATOR } from '../../db/rows-as-text'
import type { Row } from '../storage/layout'
import type { Searched } from './searched'
import { handleOf, wordsOf } from './words'

export interface Candidate {
  readonly id: string
  /** As PostgreSQL prints it. */
  readonly createdAt: string
  /** The words of its label. */
  readonly label: readonly string[]
  /** The words of everything else it is found by; taken apart when first asked for. */
  readonly others: readonly string[]
  /** Whole email addresses or domains. */
  readonly keys: readonly string[]
  /** In E.164 without the plus. */
  readonly phoneNumbers: readonly string[]
}

/** The select list, cut like the index cuts. Texts of arrays come as one, which is cheaper to read than an array. */
export const candidateColumns = ({ label, keys, handles, phoneNumbers }: Searched): string =>
  [
    'h.id, h.created_at',
    `left(${label}, 500)`,
    inOne(`(${keys})[1:100]`),
    inOne(`(${handles})[1:20]`),
    inOne(`(${phoneNumbers})[1:100]`),
  ].join(', ')

/** The select list of those that are compared by their labels alone: `id`, `created_at` and `label`. */
export const labelColumns = ({ label }: Pick<Searched, 'label'>): string =>
  `h.id, h.created_at, left(${label}, 500) as label`

const inOne = (array: string): string => `array_to_string(${array}, E'\\x1f')`

type Text = string | null
type Columns = readonly [id: string, createdAt: string, label: Text, keys?: Text, handles?: Text, phoneNumbers?: Text]

export function candidateFrom(row: Row): Candidate {
  const [id, createdAt, label, keys, handles, phoneNumbers] = row as Columns // in the order above
  let others: string[] | undefined
  return {
    id,
    createdAt,
    label: wordsOf(label ?? ''),
    get others() {
      others ??= wordsOf([...apart(keys), ...apart(handles).map(handleOf)].join(' '))
      return others
    },
    get keys() {
      return apart(keys)
    },
    get phoneNumbers() {
      return apart(phoneNumbers).map((number) => number.slice(1))
    },
  }
}

const apart = (texts: Text | undefined): string[] => (texts ? texts.split(CELL_SEPARATOR) : [])

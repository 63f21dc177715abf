/** Records that a search looks at, as far as it compares them. */

import type { Row } from '../values/layout'
import type { Searched } from './searched'
import { handleOf, wordsOf } from './words'

export interface Candidate {
  readonly id: string
  /** As PostgreSQL prints it. */
  readonly createdAt: string
  /** The words of its label. */
  readonly label: readonly string[]
  /** The words of everything else it is found by. */
  readonly others: readonly string[]
  /** Whole email addresses or domains. */
  readonly keys: readonly string[]
  /** In E.164 without the plus. */
  readonly phoneNumbers: readonly string[]
}

/** The select list, cut like the index cuts. */
export const candidateColumns = ({ label, keys, handles, phoneNumbers }: Searched): string =>
  `h.id, h.created_at, left(${label}, 500), (${keys})[1:100], (${handles})[1:20], (${phoneNumbers})[1:100]`

type Columns = readonly [id: string, createdAt: string, label: string | null, ...texts: (Texts | null)[]]
type Texts = readonly (string | null)[]

export function candidateFrom(row: Row): Candidate {
  const [id, createdAt, label, keys, handles, phoneNumbers] = row as Columns // in the order above
  return {
    id,
    createdAt,
    label: wordsOf(label ?? ''),
    others: wordsOf([...present(keys), ...present(handles).map(handleOf)].join(' ')),
    keys: present(keys),
    phoneNumbers: present(phoneNumbers).map((number) => number.slice(1)),
  }
}

const present = (texts: Texts | null | undefined): string[] => (texts ?? []).filter((text) => text !== null)

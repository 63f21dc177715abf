/** The widths of the columns of a result, from the length of their texts. */

import type { SqlResult } from '../../../api/sql/sql'
import { actorIn, cellText, recordIn } from './cells'

const SAMPLE = 100
const REM_PER_CHARACTER = 0.47
const PADDING_REM = 1.75
const MIN_REM = 5
const MAX_REM = 24
/** Names of records and actors are loaded after the column has its width. */
const NAME_LENGTH = 24

/** In rem, in the order of the columns. */
export const columnWidths = ({ columns, rows }: SqlResult): number[] =>
  columns.map(({ name, type }) => {
    const lengths = rows
      .slice(0, SAMPLE)
      .map(({ [name]: value }) =>
        (recordIn(value) ?? actorIn(value)) === undefined ? cellText(value, type).length : NAME_LENGTH,
      )
    const longest = Math.max(name.length + 1, ...lengths)
    return Math.min(MAX_REM, Math.max(MIN_REM, longest * REM_PER_CHARACTER + PADDING_REM))
  })

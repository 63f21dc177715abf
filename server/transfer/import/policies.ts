/**
 * The rules of an import for everything that does not fit. The command line and the console both apply them. The table also has
 * rules of other files: `mapping/check-mapping.ts` finds unknown options, `policiesOf` of the command line and of the console
 * chooses between creating and refusing, and `convert/` leaves values out.
 *
 * | What the file has            | What the import does                                                                    |
 * | ---------------------------- | --------------------------------------------------------------------------------------- |
 * | an unknown option            | `MissingPolicies.options`: creates the option before it begins, or refuses the import     |
 * | an archived option, or one with a title that is too long | leaves the value out                                        |
 * | a column without an attribute | `MissingPolicies.attributes`: creates the attribute, or refuses the import              |
 * | an empty cell                | changes nothing                                                                         |
 * | an empty matching cell       | matches the row by the fallback attribute, or creates a record when there is none       |
 * | an unreadable value          | leaves the value out and imports the rest of the row                                    |
 * | a row with too few or too many cells | skips the row                                                                   |
 * | a row without a required value | skips the row, unless it updates a record                                             |
 * | a row that matches several records | skips the row                                                                     |
 * | a row with the id of no record | skips the row                                                                         |
 *
 * Everything that is left out or skipped is reported with its line and the reason: docs/import.md.
 */

import type { Attribute } from '#engine/data-model/model'
import type { MultiselectWrite } from '#engine/storage/entity-change'
import { isRecordId } from '#engine/data-model/find'
import { excerpt } from '#base/text/csv-line'
import type { ConvertedRow } from './convert/compile-row'
import type { MissingDefinitions } from './mapping/check-mapping'
import type { Identification, IdentifiedRow } from './match/identify'

export type MissingPolicy = 'create' | 'refuse'

export interface MissingPolicies {
  readonly attributes: MissingPolicy
  readonly options: MissingPolicy
}

/** What an import may not create. The import is refused unless both are empty. */
export const refusedDefinitions = (
  { attributes, options }: MissingDefinitions,
  policies: MissingPolicies,
): MissingDefinitions => ({
  attributes: policies.attributes === 'refuse' ? attributes : [],
  options: policies.options === 'refuse' ? options : new Map(),
})

export const isNoneMissing = ({ attributes, options }: MissingDefinitions): boolean =>
  attributes.length === 0 && options.size === 0

/** How an attribute with several values takes the values of a row. The matching attribute never loses a value. */
export const multiselectWriteOf = (
  { id }: Attribute,
  { match }: Identification,
  overwrite: boolean,
): MultiselectWrite => (overwrite && id !== match?.id ? 'overwrite' : 'append')

/** A row with too few or too many cells has probably lost a quote, and its values stand in the wrong columns. */
export function malformedReason(cells: readonly string[], width: number): string | undefined {
  const hasOnlyEmptySurplus = cells.length > width && cells.slice(width).every((cell) => cell === '')
  if (cells.length === width || hasOnlyEmptySurplus) return undefined
  return `This row has ${cells.length} ${cells.length === 1 ? 'column' : 'columns'}; the header has ${width}.`
}

/** Applies to rows that match no record. A row with a record id never creates one, because its record may have been deleted. */
export function unmatchedReason(
  identification: Identification,
  { row, keys }: Pick<IdentifiedRow, 'row' | 'keys'>,
  required: readonly Attribute[],
): string | undefined {
  const { match } = identification
  if (match !== undefined && isRecordId(match) && keys.length > 0)
    return `No record has the ID "${excerpt(row.recordId ?? '')}". To create a record, leave the cell empty.`
  return missingValueReason(row, required)
}

function missingValueReason(
  { assignments }: Pick<ConvertedRow, 'assignments'>,
  required: readonly Attribute[],
): string | undefined {
  if (assignments.length === 0) return 'It has no value that could be imported.'
  const missing = required.filter(({ id }) => !assignments.some(({ attribute }) => attribute.id === id))
  if (missing.length === 0) return undefined
  return `It has no value for ${missing.map(({ api_slug }) => `"${api_slug}"`).join(', ')}, which every record must have.`
}

export const ambiguousMatchReason = (
  { match, fallback }: Identification,
  row: Pick<IdentifiedRow, 'keys' | 'name'>,
  records: number,
): string =>
  row.keys.length > 0
    ? `The values of "${match?.api_slug}" belong to ${records} records.`
    : `${records} records have the "${fallback?.api_slug}" "${row.name}"; give the row a value that only one of them has.`

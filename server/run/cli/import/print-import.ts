/** What the import command prints before and after it imports. */

import type { MissingAttribute } from '#transfer/import/mapping/bind-columns'
import type { MissingDefinitions } from '#transfer/import/mapping/check-mapping'
import { type Mapping, renderTarget } from '#transfer/import/mapping/mapping'
import type { Identification } from '#transfer/import/match/identify'
import type { RowCounts } from '#transfer/import/row-counts'
import { renderTable } from '#run/cli/table'
import { describeCounts, rate } from './progress'

type Print = (line: string) => void

export function printMapped({ columns }: Mapping, { match, fallback }: Identification, print: Print): void {
  const rows = [...columns].map(([name, target]) => [name, target === null ? 'left out' : renderTarget(target)])
  for (const line of renderTable(['column', 'goes to'], rows)) print(line)
  print(describeMatching(match?.api_slug, fallback?.api_slug))
}

function describeMatching(match: string | undefined, fallback: string | undefined): string {
  const byFallback = fallback === undefined ? 'always create a record' : `are matched by "${fallback}"`
  if (match !== undefined) return `Rows are matched by "${match}"; rows without a value of it ${byFallback}.`
  return fallback === undefined
    ? 'No attribute identifies a record: every import creates all rows again.'
    : `Rows are matched by "${fallback}".`
}

const MAX_SHOWN_OPTIONS = 10

export function printMissing({ attributes, options }: MissingDefinitions, label: string, print: Print): void {
  for (const attribute of attributes) print(`${label} attribute ${renderMissing(attribute)}`)
  for (const [slug, titles] of options) {
    const more = titles.length > MAX_SHOWN_OPTIONS ? `, and ${titles.length - MAX_SHOWN_OPTIONS} more` : ''
    print(`${label} ${titles.length} options of ${slug}: ${titles.slice(0, MAX_SHOWN_OPTIONS).join(', ')}${more}`)
  }
}

const renderMissing = ({ title, api_slug, type, is_multiselect, currency }: MissingAttribute): string =>
  `"${title}", ${renderTarget({ slug: api_slug, type, isMultiselect: is_multiselect, ...(currency === undefined ? {} : { currency }) })}`

/** Names the options of the command that allow what was refused. */
export function refusedMessage(refused: MissingDefinitions): string {
  const flags = [
    ...(refused.attributes.length > 0 ? ['--create-attributes'] : []),
    ...(refused.options.size > 0 ? ['--create-options'] : []),
  ]
  return `Nothing was imported. Add ${flags.join(' and ')} to create them, or change the mapping.`
}

interface FinishedImport {
  readonly isDryRun: boolean
  /** Milliseconds on the clock of `performance`. */
  readonly startedAt: number
  readonly problems: number
  readonly errorsPath: string
}

export function printSummary(counts: RowCounts, finished: FinishedImport, print: Print): void {
  const { isDryRun, startedAt, problems, errorsPath } = finished
  const { read, repeated, incomplete, skipped } = counts
  const prefix = isDryRun ? 'Nothing was written. An import would give: ' : ''
  print(`${prefix}${describeCounts(counts)}, ${rate(read, startedAt)}.`)
  if (repeated > 0) print(`${repeated} of them matched a record that an earlier row of the file created.`)
  if (incomplete > 0) print(`${incomplete} of them were imported without some of their values.`)
  if (skipped > 0) print(`${skipped} ${skipped === 1 ? 'row was' : 'rows were'} NOT imported.`)
  if (problems > 0) print(`${errorsPath} lists what was not imported, and why.`)
}

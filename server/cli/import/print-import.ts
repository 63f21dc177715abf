/** What an import is going to do, in words. */

import type { Identification } from '../../import/match/identify'
import { type Mapping, renderTarget } from '../../import/mapping/mapping'
import type { RowCounts } from '../../import/run-import'
import type { MissingAttribute } from '../../import/mapping/bind-columns'
import type { MissingDefinitions } from '../../import/mapping/check-mapping'
import { renderTable } from '../table'
import { describe, rate } from './progress'

type Print = (line: string) => void

export function showPlan({ columns }: Mapping, { match, fallback }: Identification, print: Print): void {
  const rows = [...columns].map(([name, target]) => [name, target === null ? 'left out' : renderTarget(target)])
  for (const line of renderTable(['column', 'goes to'], rows)) print(line)
  print(`${recognition(match?.api_slug, fallback?.api_slug)}`)
}

function recognition(match: string | undefined, fallback: string | undefined): string {
  const byName = fallback === undefined ? 'are always new' : `are recognised by "${fallback}"`
  if (match !== undefined) return `Rows are recognised by "${match}"; rows without a value of it ${byName}.`
  return fallback === undefined
    ? 'Nothing tells whether a row is known: every import creates all of them again.'
    : `Rows are recognised by "${fallback}".`
}

const SHOWN_OPTIONS = 10

export function showLacking({ attributes, options }: MissingDefinitions, verb: string, print: Print): void {
  for (const attribute of attributes) print(`${verb} attribute ${renderNew(attribute)}`)
  for (const [slug, titles] of options) {
    const more = titles.length > SHOWN_OPTIONS ? `, and ${titles.length - SHOWN_OPTIONS} more` : ''
    print(`${verb} ${titles.length} options of ${slug}: ${titles.slice(0, SHOWN_OPTIONS).join(', ')}${more}`)
  }
}

const renderNew = ({ title, api_slug, type, is_multiselect, currency }: MissingAttribute): string =>
  `"${title}", ${renderTarget({ slug: api_slug, type, isMultiselect: is_multiselect, ...(currency === undefined ? {} : { currency }) })}`

/** What to say to have it made; undefined when nothing is missing that may not be made. */
export function lackingProblem(
  missing: MissingDefinitions,
  may: { readonly attributes: boolean; readonly options: boolean },
): string | undefined {
  const isNew = new Set(missing.attributes.map(({ api_slug }) => api_slug))
  const flags = [
    ...(isNew.size > 0 && !may.attributes ? ['--create-attributes'] : []),
    ...(missing.options.size > 0 && !may.options ? ['--create-options'] : []),
  ]
  if (flags.length === 0) return undefined
  return `Nothing was imported. Add ${flags.join(' and ')} to have these made, or map the columns otherwise.`
}

interface Ending {
  readonly isDryRun: boolean
  /** In milliseconds of the process. */
  readonly startedAt: number
  readonly problems: number
  readonly errorsPath: string
}

export function summarise(counts: RowCounts, { isDryRun, startedAt, problems, errorsPath }: Ending, print: Print): void {
  const { read, repeated, incomplete, skipped } = counts
  print(
    `${isDryRun ? 'Nothing was written; it would have been so: ' : ''}${describe(counts)}, ${rate(read, startedAt)}.`,
  )
  if (repeated > 0) print(`${repeated} of them were about a record that an earlier row of the file had made.`)
  if (incomplete > 0) print(`${incomplete} of them were imported without some of their values.`)
  if (skipped > 0) print(`${skipped} ${skipped === 1 ? 'row was' : 'rows were'} NOT imported.`)
  if (problems > 0) print(`What was not imported, and why, stands in ${errorsPath}.`)
}

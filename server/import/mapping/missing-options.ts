/** Reads a file through for options that its select and status columns name and that are not there. */

import { attributeType } from '../../attribute-types/registry'
import type { Attribute } from '../../data-model/model'
import { titlesIn } from '../convert/converters'
import { LONGEST_TITLE } from '../convert/titles'
import { type CsvFile, readRows } from '../csv/csv'
import type { Binding } from './plan'
import { ImportProblem } from '../problem'

/** More are no options but texts. */
const MOST_NEW_OPTIONS = 2000
/** Choices repeat themselves; cells of more kinds are looked at each time. */
const MOST_SEEN = 1000

/** Titles in the order of the file, by the id of their attribute; attributes that lack none are left out. */
export async function findMissingOptions(file: CsvFile, bindings: readonly Binding[]): Promise<Map<string, string[]>> {
  const choices = bindings.filter(({ attribute }) => attributeType(attribute.type).hasOptions)
  if (choices.length === 0) return new Map()
  const collectors = choices.map(collectorOf)
  let isHeader = true
  for await (const rows of readRows(file)) {
    for (const { cells } of isHeader ? rows.slice(1) : rows) for (const collector of collectors) collector.read(cells)
    isHeader &&= rows.length === 0
  }
  return new Map(
    collectors.flatMap(({ attribute, missing }) =>
      missing.size > 0 ? [[attribute.id, [...missing.values()]] as const] : [],
    ),
  )
}

function collectorOf({ attribute, columns }: Binding) {
  // Archived options count as there: a second one of the same title cannot be made.
  const known = new Set(attribute.options.map(({ title }) => keyOf(title)))
  const missing = new Map<string, string>()
  const isKnown = (title: string) => known.has(keyOf(title))
  const seen = new Set<string>()
  return {
    attribute,
    missing,
    read(cells: readonly string[]): void {
      for (const { index } of columns) {
        const text = cells[index] ?? ''
        if (seen.has(text)) continue
        if (seen.size < MOST_SEEN) seen.add(text)
        for (const title of titlesIn(text, attribute, isKnown)) {
          if (isKnown(title) || title.length > LONGEST_TITLE /* refused row by row */ || missing.has(keyOf(title)))
            continue
          missing.set(keyOf(title), title)
          if (missing.size > MOST_NEW_OPTIONS) throw tooMany(attribute, columns[0]?.name ?? '')
        }
      }
    },
  }
}

const keyOf = (title: string): string => title.trim().toLowerCase()

const tooMany = ({ api_slug }: Attribute, column: string) =>
  new ImportProblem(
    `"${column}" has more than ${MOST_NEW_OPTIONS} values that are no options of "${api_slug}"; map it to an attribute of type text.`,
  )

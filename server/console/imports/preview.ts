/** What the first rows of a file would become. Nothing is written. */

import { Readable } from 'node:stream'
import Papa from 'papaparse'
import { attributeType } from '../../attribute-types/registry'
import type { Database } from '../../../db/connect'
import { getObject } from '../../data-model/find'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import { type ConvertedRow, compileRow } from '../../import/convert/compile-row'
import { type CsvFile, type CsvRow, readCsv } from '../../import/csv/csv'
import { identify } from '../../import/match/identify'
import { createTargetLookup } from '../../import/match/target-lookup'
import { findMatches } from '../../import/match/find-matches'
import { bindColumns, type Binding } from '../../import/mapping/bind-columns'
import { prepare } from '../../import/mapping/check-mapping'
import type { ImportContext } from '../../import/import-context'
import { requiredAttributes } from '../../import/write/write-records'
import { renderAttribute } from '../../resources/attributes/render'
import { countryOf, identificationOf, mappingOf } from './parse-plan'
import type { PlanBody, PreviewAttribute, PreviewOutput, PreviewRow } from './schemas'

const SHOWN_ROWS = 20

export interface Previewing {
  readonly db: Database
  readonly importContext: ImportContext
  readonly object: ObjectType
  readonly file: CsvFile
}

/** Throws `ImportError` for a plan that cannot be. */
export async function previewRows(previewing: Previewing, plan: PlanBody): Promise<PreviewOutput> {
  const { importContext, object, file } = previewing
  const { model } = importContext.context()
  const identification = identificationOf(model, object, plan)
  const country = countryOf(plan)
  const { header, rows } = await readBeginning(file)
  // Options are looked for in these rows alone: a large file would take too long.
  const { planned, missing } = await prepare(model, object.id, asFile(header, rows), header, mappingOf(plan))
  const plannedObject = getObject(planned, object.id)
  const bindings = bindColumns(planned, plannedObject, header, mappingOf(plan).columns)
  const lookup = createTargetLookup(previewing.db.sql, planned)
  const convert = compileRow({ model: planned, object: plannedObject, bindings, country, lookup })
  const converted = await Promise.all(rows.map(convert))
  const identified = converted.map((row) => identify(identification, row))
  const found = await findMatches({ importContext, objectId: object.id, identification }, identified)
  const render = rendererOf(planned, object)
  const own = new Set(object.attributes.map(({ id }) => id))
  return {
    attributes: bindings.map((binding) => attributeOf(planned, binding, own)),
    rows: converted.map((row, index) => render(row, found[index]?.length ?? 0, rows[index], header)),
    options: Object.fromEntries(missing.options),
  }
}

async function readBeginning(file: CsvFile): Promise<{ header: string[]; rows: CsvRow[] }> {
  let header: string[] | undefined
  const rows: CsvRow[] = []
  for await (const row of readCsv(file)) {
    if (header === undefined) header = row.cells.map((cell) => cell.trim())
    else if (row.cells.some((cell) => cell.trim() !== '')) rows.push(row)
    if (rows.length >= SHOWN_ROWS) break
  }
  return { header: header ?? [], rows }
}

const asFile = (header: readonly string[], rows: readonly CsvRow[]): CsvFile => {
  const text = Papa.unparse([[...header], ...rows.map(({ cells }) => [...cells])])
  return { delimiter: ',', open: () => Readable.from([text], { objectMode: false }) }
}

const attributeOf = (
  model: DataModel,
  { attribute, columns }: Binding,
  own: ReadonlySet<string>,
): PreviewAttribute => ({
  attribute: renderAttribute(model, attribute),
  column: columns.map(({ name }) => name).join(', '),
  is_new: !own.has(attribute.id),
})

function rendererOf(model: DataModel, object: ObjectType) {
  const required = requiredAttributes(model, object)
  return (
    { line, assignments, problems }: ConvertedRow,
    matches: number,
    row: CsvRow | undefined,
    header: readonly string[],
  ): PreviewRow => {
    const known = matches === 0 ? 'new' : matches === 1 ? 'known' : 'several'
    const lacked = required.find(({ id }) => !assignments.some(({ attribute }) => attribute.id === id))
    return {
      line: row?.line ?? line,
      values: Object.fromEntries(
        assignments.map(({ attribute, values }) => [
          attribute.api_slug,
          values.map((stored) => renderValue(attribute, model, stored)),
        ]),
      ),
      problems,
      known,
      skipped: skippedBecause(known, row, header, assignments.length === 0, lacked),
    }
  }
}

function skippedBecause(
  known: PreviewRow['known'],
  row: CsvRow | undefined,
  header: readonly string[],
  isEmpty: boolean,
  lacked: Attribute | undefined,
): string | null {
  const width = row?.cells.length ?? 0
  const isWide = width > header.length && row?.cells.slice(header.length).some((cell) => cell !== '') === true
  if (width < header.length || isWide) return `It has ${width} columns, and the header ${header.length}.`
  if (known === 'several') return 'It is about several records; nobody can tell which.'
  if (isEmpty) return 'There is no value in it that could be imported.'
  if (known === 'new' && lacked !== undefined)
    return `It has no value for “${lacked.title}”, which every record must have.`
  return null
}

/** As the API would show it, but for what it has only once it is written. */
function renderValue(attribute: Attribute, model: DataModel, stored: ConvertedRow['assignments'][number]['values'][0]) {
  const members = attributeType(attribute.type).render(attribute, model)(stored)
  return {
    active_from: null,
    active_until: null,
    created_by_actor: { type: null, id: null },
    ...(JSON.parse(`{${members}}`) as Record<string, unknown>),
    attribute_type: attribute.type,
  }
}

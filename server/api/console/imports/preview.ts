/** Shows what the first rows of a file would become. Writes nothing. */

import { attributeType } from '#engine/attribute-types/registry'
import { getObject } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import type { Binding } from '#transfer/import/binding'
import { compileRow, type ConvertedRow } from '#transfer/import/convert/compile-row'
import { type CsvFile, readCsv } from '#transfer/import/csv/csv'
import type { CsvRow } from '#transfer/import/csv/split-rows'
import type { BackgroundContext } from '#engine/entities/write/background-context'
import { bindColumns } from '#transfer/import/mapping/bind-columns'
import { checkMapping, type MissingDefinitions } from '#transfer/import/mapping/check-mapping'
import { createTargetLookup, findMatches } from '#transfer/import/match/target-lookup'
import { type IdentifiedRow, identify } from '#transfer/import/match/identify'
import { ambiguousMatchReason, malformedReason, missingValueReason } from '#transfer/import/policies'
import { requiredAttributes } from '#transfer/import/write/write-records'
import { renderAttribute } from '#api/resources/attributes/render'
import { countryOf, identificationOf, mappingOf } from './plan'
import type { PlanBody, PreviewAttribute, PreviewOutput, PreviewRow } from './schemas'

const SHOWN_ROWS = 20

export interface PreviewSource {
  readonly importContext: BackgroundContext
  readonly object: ObjectType
  readonly file: CsvFile
}

/** Throws `ImportError` for an invalid plan. */
export async function previewRows(
  { importContext, object, file }: PreviewSource,
  plan: PlanBody,
): Promise<{ readonly preview: PreviewOutput; readonly missing: MissingDefinitions }> {
  const { model, db } = importContext.context()
  const identification = identificationOf(model, object, plan)
  const country = countryOf(plan)
  const { header, rows } = await readBeginning(file)
  // Only these rows are searched for new options, since reading a large file takes too long.
  const checked = await checkMapping(model, object.id, { header, rows: oneChunk(rows) }, mappingOf(plan))
  const { plannedModel, missing } = checked
  const plannedObject = getObject(plannedModel, object.id)
  const bindings = bindColumns(plannedModel, plannedObject, header, mappingOf(plan).columns)
  const lookup = createTargetLookup(db.sql, plannedModel)
  const convert = compileRow({ model: plannedModel, object: plannedObject, bindings, country, lookup })
  const identified = (await Promise.all(rows.map(convert))).map((row) => identify(identification, row))
  const matches = await findMatches({ importContext, objectId: object.id, identification }, identified)
  const required = requiredAttributes(plannedModel, object)
  const reasonToSkip = (row: IdentifiedRow, cells: readonly string[], count: number) =>
    malformedReason(cells, header.length) ??
    (count > 1 ? ambiguousMatchReason(identification, row, count) : undefined) ??
    missingValueReason(row.row, count === 0 ? required : [])
  const existing = new Set(object.attributes.map(({ id }) => id))
  const preview = {
    attributes: bindings.map((binding) => renderBinding(plannedModel, binding, existing)),
    rows: identified.map((row, index) => {
      const count = matches[index]?.length ?? 0
      return renderRow(plannedModel, row.row, count, reasonToSkip(row, rows[index]?.cells ?? [], count))
    }),
    options: Object.fromEntries(missing.options),
  }
  return { preview, missing }
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

async function* oneChunk(rows: readonly CsvRow[]): AsyncGenerator<readonly CsvRow[]> {
  yield rows
}

const renderBinding = (
  model: DataModel,
  { attribute, columns }: Binding,
  existing: ReadonlySet<string>,
): PreviewAttribute => ({
  attribute: renderAttribute(model, attribute),
  column: columns.map(({ name }) => name).join(', '),
  is_new: !existing.has(attribute.id),
})

const renderRow = (
  model: DataModel,
  { line, assignments, problems }: ConvertedRow,
  matches: number,
  reasonToSkip: string | undefined,
): PreviewRow => ({
  line,
  values: Object.fromEntries(
    assignments.map(({ attribute, values }) => [
      attribute.api_slug,
      values.map((stored) => renderValue(attribute, model, stored)),
    ]),
  ),
  problems,
  known: matches === 0 ? 'new' : matches === 1 ? 'known' : 'several',
  skipped: reasonToSkip ?? null,
})

/** The form of the API, with null for the members that a value only has once it is written. */
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

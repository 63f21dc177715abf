/** Renders a page of an export as rows of a CSV file, from the JSON of its entities. See docs/reference/query.md (Export). */

import { attributeType } from '#engine/attribute-types/registry'
import type { ApiContext } from '#context'
import type { Attribute, EntityType, ObjectType } from '#engine/data-model/model'
import { csvLine, csvLines } from '#base/text/csv-line'
import { inSlices } from '#base/timing/in-slices'
import { findObject } from '#engine/data-model/find'
import { compileLabels } from '#engine/query/compile/label'
import { runStatement } from '#engine/query/run/run-statement'

export interface CsvTable {
  readonly entityType: EntityType
  readonly attributes: readonly Attribute[]
  /** Whether the last column has cursors. */
  readonly cursors: boolean
  readonly raw: boolean
}

type Value = Readonly<Record<string, unknown>>

/** An entity as the API renders it. */
interface RenderedEntity {
  readonly parent_object?: string
  readonly parent_record_id?: string
  readonly values?: Readonly<Record<string, readonly Value[]>>
  readonly entry_values?: Readonly<Record<string, readonly Value[]>>
}

const SEPARATOR = '; '
const PARENT_COLUMNS = ['parent_record', 'parent_record_id', 'parent_object']

export const csvHeader = ({ entityType, attributes, cursors }: CsvTable): string =>
  csvLine([
    ...(entityType.kind === 'list' ? PARENT_COLUMNS : []),
    ...attributes.flatMap(({ api_slug, type }) => (hasId(type) ? [api_slug, `${api_slug}_id`] : [api_slug])),
    ...(cursors ? ['next_cursor'] : []),
  ])

/** `lines` has one entity as JSON on each line. `nextCursor` is written to the last row. */
export async function renderCsv(
  context: ApiContext,
  table: CsvTable,
  lines: Uint8Array,
  nextCursor: string | null,
): Promise<string> {
  const entities = await inSlices(parseLines(lines))
  if (entities.length === 0) return ''
  const labels = await readLabels(
    context,
    entities.flatMap((entity) => recordsIn(entity, table)),
  )
  const rowsInSlice = Math.ceil((entities.length * BYTES_IN_SLICE) / lines.length)
  return inSlices(renderRows(context, table, { entities, labels, nextCursor, rowsInSlice }))
}

/** To render each row alone takes longer. A usual row has some kilobytes of JSON. */
const BYTES_IN_SLICE = 256 * 1024

function* parseLines(lines: Uint8Array): Generator<void, RenderedEntity[]> {
  const entities: RenderedEntity[] = []
  for (let from = 0; from < lines.length;) {
    const end = lines.indexOf(LINE_FEED, from)
    entities.push(JSON.parse(decoder.decode(lines.subarray(from, end))) as RenderedEntity) // as the resource rendered it
    from = end + 1
    yield
  }
  return entities
}

const LINE_FEED = 0x0a
const decoder = new TextDecoder()

interface RenderedPage {
  readonly entities: readonly RenderedEntity[]
  readonly labels: Labels
  readonly nextCursor: string | null
  /** How many rows are rendered without a pause. */
  readonly rowsInSlice: number
}

function* renderRows(
  context: ApiContext,
  table: CsvTable,
  { entities, labels, nextCursor, rowsInSlice }: RenderedPage,
): Generator<void, string> {
  const { entityType, attributes, cursors, raw } = table
  const last = entities.at(-1)
  const rowOf = (entity: RenderedEntity): unknown[] => [
    ...(entityType.kind === 'list' ? parentCells(entity, labels) : []),
    ...attributes.flatMap((attribute) => cellsOf(context, attribute, valuesOf(entity, attribute), labels)),
    ...(cursors ? [entity === last ? nextCursor : null] : []),
  ]
  let text = ''
  for (let from = 0; from < entities.length; from += rowsInSlice) {
    text += csvLines(entities.slice(from, from + rowsInSlice).map(rowOf), { raw })
    yield
  }
  return text
}

/** The text of each attribute that has a value, by its slug, as a CSV file has it. */
export async function textsOfEntity(
  context: ApiContext,
  entityType: EntityType,
  attributes: readonly Attribute[],
  values: NonNullable<RenderedEntity['values']>,
): Promise<ReadonlyMap<string, string>> {
  const labels = await readLabels(context, recordsIn({ values }, { entityType, attributes, cursors: false, raw: true }))
  return new Map(
    attributes.flatMap((attribute) => {
      const [text] = cellsOf(context, attribute, values[attribute.api_slug] ?? [], labels)
      return text === undefined || text === null ? [] : [[attribute.api_slug, String(text)] as const]
    }),
  )
}

const valuesOf = ({ values, entry_values }: RenderedEntity, { api_slug }: Attribute): readonly Value[] =>
  (values ?? entry_values)?.[api_slug] ?? []

function parentCells(entity: RenderedEntity, labels: Labels): unknown[] {
  const parent = { object: String(entity.parent_object), id: String(entity.parent_record_id) }
  return [labels.of(parent), parent.id, parent.object]
}

/** Whether a second column has the ids of records or actors. */
const hasId = (type: Attribute['type']): boolean => ['reference', 'actor'].includes(attributeType(type).sql.form)

function cellsOf({ model }: ApiContext, attribute: Attribute, values: readonly Value[], labels: Labels): unknown[] {
  const { form } = attributeType(attribute.type).sql
  if (form === 'reference') {
    const records = values.map(recordOf)
    return [cellOf(records.map(labels.of)), cellOf(records.map(({ id }) => id))]
  }
  if (form === 'actor') {
    const emailOf = (id: unknown) => (typeof id === 'string' ? model.membersById.get(id)?.email_address : undefined)
    const names = values.map((value) => emailOf(value.referenced_actor_id) ?? value.referenced_actor_type)
    return [cellOf(names), cellOf(values.map((value) => value.referenced_actor_id))]
  }
  return [cellOf(values.map((value) => plainValue(attribute, value)))]
}

/** A single value keeps its type, because numbers are never formulas. */
const cellOf = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : values.join(SEPARATOR))

function plainValue({ type }: Attribute, value: Value): unknown {
  const { sql, nameMember } = attributeType(type)
  if (nameMember !== undefined) return value[nameMember]
  if (sql.form === 'scalar') return value[sql.column]
  if (sql.form === 'option') return (value[sql.column] as { title: string }).title // as in the output of types with options
  const parts = sql.form === 'struct' ? sql.fields.map(({ name }) => value[name]) : []
  return parts.filter((part) => typeof part === 'string').join(', ')
}

const recordOf = (value: Value): RecordName => ({
  object: String(value.target_object),
  id: String(value.target_record_id),
})

function recordsIn(entity: RenderedEntity, { entityType, attributes }: CsvTable): RecordName[] {
  const references = attributes.filter(({ type }) => attributeType(type).sql.form === 'reference')
  const found = references.flatMap((attribute) => valuesOf(entity, attribute).map(recordOf))
  return entityType.kind === 'list'
    ? [{ object: String(entity.parent_object), id: String(entity.parent_record_id) }, ...found]
    : found
}

// Reads the labels of the records to which exported values refer. See docs/reference/search.md (What a record is called).

/** A record by the slug of its object and its id. */
interface RecordName {
  readonly object: string
  readonly id: string
}

interface Labels {
  /** The label of a record, or its id if it has none. */
  readonly of: (record: RecordName) => string
}

/** Reads the labels with one statement for each object. */
async function readLabels(context: ApiContext, records: readonly RecordName[]): Promise<Labels> {
  const idsBySlug = Map.groupBy(records, ({ object }) => object)
  const found = await Promise.all(
    [...idsBySlug].map(async ([slug, named]) => {
      const object = findObject(context.model, slug)
      const ids = [...new Set(named.map(({ id }) => id))]
      return [
        slug,
        object === undefined ? new Map<string, string>() : await readLabelsOf(context, object, ids),
      ] as const
    }),
  )
  const labels = new Map(found)
  return { of: ({ object, id }) => labels.get(object)?.get(id) ?? id }
}

async function readLabelsOf(
  context: ApiContext,
  object: ObjectType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await runStatement(context, compileLabels(object, ids))
  return new Map(rows.flatMap(([id, label]) => (label === null ? [] : [[String(id), String(label)] as const])))
}

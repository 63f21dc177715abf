/** Renders a page of an export as rows of a CSV file, from the JSON of its entities. See docs/reference/query.md (Export). */

import { attributeType } from '#engine/attribute-types/registry'
import type { ApiContext } from '#context'
import type { Attribute, DataModel, EntityType, ObjectType } from '#engine/data-model/model'
import { csvLine, csvLines } from '#base/text/csv-line'
import { inSlices } from '#base/timing/in-slices'
import { compileKeys, compileLabels } from '#engine/query/compile/label'
import { runStatement } from '#engine/query/run/run-statement'
import { keyAttributeOf } from '#engine/attribute-types/formats/references'
import { allowedObjectIds, findObject } from '#engine/data-model/find'

export interface CsvTable {
  readonly entityType: EntityType
  readonly attributes: readonly Attribute[]
  /** Whether the last column has cursors. */
  readonly cursors: boolean
  readonly raw: boolean
  /** Whether an import reads the file back without a change. */
  readonly importable: boolean
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

export const csvHeader = ({ entityType, attributes, cursors, importable }: CsvTable): string =>
  csvLine([
    ...(entityType.kind === 'list' ? PARENT_COLUMNS : []),
    ...attributes.flatMap(importable ? importableColumns : columnsOf),
    ...(cursors ? ['next_cursor'] : []),
  ])

const columnsOf = ({ api_slug, type }: Attribute): string[] => (hasId(type) ? [api_slug, `${api_slug}_id`] : [api_slug])

/** `lines` has one entity as JSON on each line. `nextCursor` is written to the last row. */
export async function renderCsv(
  context: ApiContext,
  table: CsvTable,
  lines: Uint8Array,
  nextCursor: string | null,
): Promise<string> {
  const entities = await inSlices(parseLines(lines, table.importable ? exactNumber : undefined))
  if (entities.length === 0) return ''
  const labels = await readLabels(
    context,
    entities.flatMap((entity) => recordsIn(entity, table)),
    table.importable ? compileKeysOf : compileLabels,
  )
  const rowsInSlice = Math.ceil((entities.length * BYTES_IN_SLICE) / lines.length)
  return inSlices(renderRows(context, table, { entities, labels, nextCursor, rowsInSlice }))
}

/** To render each row alone takes longer. A usual row has some kilobytes of JSON. */
const BYTES_IN_SLICE = 256 * 1024

function* parseLines(lines: Uint8Array, reviver?: typeof exactNumber): Generator<void, RenderedEntity[]> {
  const entities: RenderedEntity[] = []
  for (let from = 0; from < lines.length;) {
    const end = lines.indexOf(LINE_FEED, from)
    entities.push(JSON.parse(decoder.decode(lines.subarray(from, end)), reviver) as RenderedEntity) // as the resource rendered it
    from = end + 1
    yield
  }
  return entities
}

/** The digits of an amount that has more of them than a number keeps. TypeScript does not know the third argument yet. */
const exactNumber = (_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? source : value

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
  const { entityType, attributes, cursors, raw, importable } = table
  const cells = importable ? importableCells : cellsOf
  const last = entities.at(-1)
  const rowOf = (entity: RenderedEntity): unknown[] => [
    ...(entityType.kind === 'list' ? parentCells(entity, labels) : []),
    ...attributes.flatMap((attribute) => cells(context, attribute, valuesOf(entity, attribute), labels)),
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
  const table = { entityType, attributes, cursors: false, raw: true, importable: false }
  const labels = await readLabels(context, recordsIn({ values }, table), compileLabels)
  return new Map(
    attributes.flatMap((attribute) => {
      const [text] = cellsOf(context, attribute, values[attribute.api_slug] ?? [], labels)
      return text === undefined || text === null ? [] : [[attribute.api_slug, String(text)] as const]
    }),
  )
}

/** The text of each value that aggregates group by, as a CSV file has it, except that `nameOf` names members. */
export async function textsOfValues(
  context: ApiContext,
  entityType: EntityType,
  attribute: Attribute,
  { values, nameOf }: { readonly values: readonly Value[]; readonly nameOf: (memberId: string) => string | undefined },
): Promise<readonly string[]> {
  const table = { entityType, attributes: [attribute], cursors: false, raw: true, importable: false }
  const labels = await readLabels(
    context,
    recordsIn({ values: { [attribute.api_slug]: values } }, table),
    compileLabels,
  )
  return values.map((value) => {
    const { referenced_actor_id: id } = value
    const name = typeof id === 'string' ? nameOf(id) : undefined
    return name ?? String(cellsOf(context, attribute, [value], labels)[0] ?? '')
  })
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
    const names = values.map((value) => emailOf(model, value) ?? value.referenced_actor_type)
    return [cellOf(names), cellOf(values.map((value) => value.referenced_actor_id))]
  }
  return [cellOf(values.map((value) => plainValue(attribute, value)))]
}

/** The email address of the member that a value names. */
const emailOf = ({ membersById }: DataModel, { referenced_actor_id: id }: Value): string | undefined =>
  typeof id === 'string' ? membersById.get(id)?.email_address : undefined

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
  return entityType.kind === 'list' && entity.parent_object !== undefined
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
async function readLabels(
  context: ApiContext,
  records: readonly RecordName[],
  compile: typeof compileKeysOf,
): Promise<Labels> {
  const idsBySlug = Map.groupBy(records, ({ object }) => object)
  const found = await Promise.all(
    [...idsBySlug].map(async ([slug, named]) => {
      const object = findObject(context.model, slug)
      const ids = [...new Set(named.map(({ id }) => id))]
      return [
        slug,
        object === undefined ? new Map<string, string>() : await readTextsOf(context, compile(object, ids)),
      ] as const
    }),
  )
  const labels = new Map(found)
  return { of: ({ object, id }) => labels.get(object)?.get(id) ?? id }
}

async function readTextsOf(
  context: ApiContext,
  statement: ReturnType<typeof compileKeysOf>,
): Promise<ReadonlyMap<string, string>> {
  const rows = statement === undefined ? [] : await runStatement(context, statement)
  return new Map(rows.flatMap(([id, text]) => (text === null ? [] : [[String(id), String(text)] as const])))
}

// The columns of a file that an import reads back without a change: docs/import.md (Files of an export).

/** The targets of an import. Read-only values have no parts, because an import leaves them out. */
function importableColumns({ api_slug, type, is_writable }: Attribute): string[] {
  const parts = is_writable ? partsOf(type) : []
  return parts.length === 0 ? [api_slug] : parts.map((part) => `${api_slug}.${part}`)
}

const partsOf = (type: Attribute['type']): readonly string[] => {
  const { sql } = attributeType(type)
  return sql.form === 'struct' ? sql.fields.map(({ name }) => name) : []
}

function importableCells(
  { model }: ApiContext,
  attribute: Attribute,
  values: readonly Value[],
  keys: Labels,
): unknown[] {
  const { form } = attributeType(attribute.type).sql
  if (form === 'reference') return [cellOf(values.map((value) => referenceText(attribute, recordOf(value), keys)))]
  if (form === 'actor') return [cellOf(values.map((value) => emailOf(model, value) ?? value.referenced_actor_id))]
  if (form === 'struct' && attribute.is_writable) return partsOf(attribute.type).map((part) => values[0]?.[part])
  return [cellOf(values.map((value) => plainValue(attribute, value)))]
}

/** With the object of the record, if the attribute allows several. */
const referenceText = (attribute: Attribute, record: RecordName, keys: Labels): string =>
  allowedObjectIds(attribute).length === 1 ? keys.of(record) : `${record.object}:${keys.of(record)}`

/** Undefined for an object whose records are named by their ids. A key that is any text may have the separators of a list. */
function compileKeysOf(object: ObjectType, ids: readonly string[]) {
  const key = keyAttributeOf(object)
  const isNamed = key !== undefined && !key.is_archived && attributeType(key.type).nameMember === undefined
  return isNamed ? compileKeys(object, key, ids) : undefined
}

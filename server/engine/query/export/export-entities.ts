/**
 * Exports all entities that a query finds, page by page. No connection is held between two pages, so a slow client delays only
 * itself. See docs/reference/query.md (Export) and docs/decisions/exports-and-large-pages.md.
 */

import { type Static, Type } from 'typebox'
import type { ApiContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import type { HeadWriter } from '#engine/entities/read/render'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { invalidQuery, invalidRequest } from '#base/errors/http'
import { compileCheck } from '#base/validation/compile-check'
import { QueryBody, TimeZone } from '#engine/query/parse/schemas'
import { projectionOf } from '#engine/query/resolve/resolve-query'
import { FORMATS, type LongText, piecesOf } from '#engine/query/run/long-texts'
import type { PageRows } from '#engine/query/run/page-body'
import { queryEntities, cancellable, type PieceSource } from '#engine/query/run/query-entities'
import { csvHeader, type CsvTable, renderCsv } from './csv'

/** As in queries. The memory of longer pages would not be used again. */
const PAGE_SIZE = 500

/** The objects or the lists, from which an entity type is exported. */
interface ExportSource {
  /** Returns the entity type if the caller may read it. Throws 404. */
  find(context: ApiContext): EntityType
  /** Returns what appends the members of an entity before its values. */
  headWriter(context: ApiContext, entityType: EntityType): HeadWriter
}

/** The parameters of an export. Those with JSON are parsed, and not yet checked. */
type ExportParameters = Omit<ExportQuery, 'filter' | 'sorts'> & {
  readonly filter: unknown
  readonly sorts: unknown
}

/** One page as NDJSON or CSV. */
interface ExportPage {
  /** Has marks in place of long texts. */
  readonly rendered: Uint8Array
  readonly longTexts: readonly LongText[]
  /** The cursor of the last entity; null on the last page. */
  readonly nextCursor: string | null
  /** The exported attributes, so that all pages of a CSV file have the same columns. */
  readonly attributeIds: readonly string[]
}

type PageReader = (context: ApiContext, previous: ExportPage | undefined) => Promise<ExportPage>

/** Reads the first page, so that its errors are the response. Returns a function that streams it and those after it. */
export async function startExport(
  context: ApiContext,
  source: ExportSource,
  parameters: ExportParameters,
): Promise<PieceSource> {
  const readPage = compilePageReader(source, parameters)
  const first = await readPage(context, undefined)
  return cancellable((renew, signal) =>
    streamPages(first, FORMATS[parameters.format === 'csv' ? 'csv' : 'json'], async (previous) => {
      const renewed = await renew()
      if (renewed === undefined) throw new Error('The caller of an export lost access before its end.')
      return readPage({ ...renewed, signal }, previous)
    }),
  )
}

async function* streamPages(
  first: ExportPage,
  format: (typeof FORMATS)[keyof typeof FORMATS],
  readNext: (previous: ExportPage) => Promise<ExportPage>,
) {
  let page = first
  for (;;) {
    yield* piecesOf(page.rendered, page.longTexts, format)
    if (page.nextCursor === null) return
    page = await readNext(page)
  }
}

function compilePageReader(source: ExportSource, parameters: ExportParameters): PageReader {
  const body = queryOf(parameters)
  const { format = 'ndjson', cursors = false, raw = false, importable = false, cursor: start = null } = parameters
  return (context, previous) =>
    retryOnConflict(context, async (context) => {
      const entityType = source.find(context)
      if (importable) refuseUnimportable(entityType, parameters)
      const cursor = previous === undefined ? start : previous.nextCursor
      const { rows, layout, nextCursor } = await readLines(context, source, entityType, {
        body: { ...body, cursor },
        fields: (format === 'csv' ? previous?.attributeIds : undefined) ?? body.fields,
      })
      const { longTexts } = rows
      const lines = takeBytes(rows)
      const attributes = layout.attributes.map(({ attribute }) => attribute)
      const attributeIds = attributes.map(({ id }) => id)
      const table = { entityType, attributes, cursors, raw, importable }
      const rendered =
        format === 'csv'
          ? await renderPage(context, table, { lines, nextCursor, isFirst: cursor === null })
          : cursors
            ? withCursor(lines, nextCursor)
            : lines
      return { rendered, longTexts, nextCursor, attributeIds }
    })
}

function refuseUnimportable({ kind }: EntityType, { format, raw }: ExportParameters): void {
  if (kind !== 'object') throw invalidRequest('importable is for records of objects, which a CSV file can import.')
  if (format !== 'csv') throw invalidRequest('importable needs format=csv.')
  if (raw === true) throw invalidRequest('importable and raw cannot be combined.')
}

/** Copies the bytes before their memory is used again. */
function takeBytes({ writer }: PageRows): Uint8Array {
  const bytes = new Uint8Array(writer.written())
  writer.release()
  return bytes
}

async function renderPage(
  context: ApiContext,
  table: CsvTable,
  page: { readonly lines: Uint8Array; readonly nextCursor: string | null; readonly isFirst: boolean },
): Promise<Uint8Array> {
  const header = page.isFirst ? csvHeader(table) : ''
  return Buffer.from(header + (await renderCsv(context, table, page.lines, page.nextCursor)))
}

/** Reads a page as JSON texts, each followed by a line feed. `fields` are the attributes, `body` those that its cursors are for. */
async function readLines(
  context: ApiContext,
  source: ExportSource,
  entityType: EntityType,
  { body, fields }: { readonly body: QueryBody; readonly fields: readonly string[] | undefined },
) {
  const renderer = projectionOf(context.model, entityType, fields)
  const { layout } = renderer
  const writeHead = source.headWriter(context, entityType)
  const { rows, pagination } = await queryEntities(context, entityType, body, {
    select: layout.selectPage,
    render: (message, writer) => renderer.renderMessage(message, writer, writeHead),
    isLines: true,
  })
  return { rows, layout, nextCursor: pagination?.next_cursor ?? null }
}

const withCursor = (lines: Uint8Array, cursor: string | null): Uint8Array =>
  Buffer.concat([lines, Buffer.from(`${JSON.stringify({ next_cursor: cursor })}\n`)])

const checkJson = compileCheck(Type.Object({ filter: QueryBody.properties.filter, sorts: QueryBody.properties.sorts }))

/** Makes the body of a query. Throws 400 for JSON of another form. */
function queryOf({ filter, sorts, filter_view_id, time_zone, attributes, importable }: ExportParameters): QueryBody {
  const parsed = { ...(filter !== undefined && { filter }), ...(sorts !== undefined && { sorts }) }
  const issues = checkJson(parsed)
  if (issues.length > 0) throw invalidQuery(issues)
  const fields = attributes?.split(',')
  if (fields !== undefined && fields.length > MAX_ATTRIBUTES)
    throw invalidRequest(`attributes may name at most ${MAX_ATTRIBUTES} attributes.`)
  return {
    ...(parsed as Pick<QueryBody, 'filter' | 'sorts'>), // checked above
    ...(filter_view_id !== undefined && { filter_view_id }),
    ...(time_zone !== undefined && { time_zone }),
    ...(fields !== undefined && { fields: importable === true ? [...new Set([RECORD_ID, ...fields])] : fields }),
    limit: PAGE_SIZE,
  }
}

const MAX_ATTRIBUTES = 1000
/** An import finds the records of the rows by it. */
const RECORD_ID = 'record_id'

/** The query parameters of exports. See docs/reference/query.md (Export). */
export const ExportQuery = Type.Object({
  format: Type.Optional(Type.Enum(['csv', 'ndjson'], { default: 'ndjson' })),
  filter: Type.Optional(Type.String({ description: 'The filter of a query, as JSON.' })),
  filter_view_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'A saved view whose filter is used instead of `filter`.' }),
  ),
  time_zone: Type.Optional(TimeZone),
  sorts: Type.Optional(Type.String({ description: 'The sorts of a query, as JSON.' })),
  attributes: Type.Optional(
    Type.String({ description: 'Slugs or ids of the attributes in the export, separated by commas. Default: all.' }),
  ),
  cursors: Type.Optional(
    Type.Boolean({ description: 'Whether the export contains cursors, from which it can be resumed.', default: false }),
  ),
  cursor: Type.Optional(
    Type.String({ description: 'A cursor of an earlier export with the same parameters. Resumes after it.' }),
  ),
  importable: Type.Optional(
    Type.Boolean({
      description:
        'Whether a CSV file has the form in which an import changes nothing: attributes by slug, parts of names and locations in ' +
        'columns of their own, references by unique values or ids.',
      default: false,
    }),
  ),
  raw: Type.Optional(
    Type.Boolean({ description: 'Whether formulas in the cells of a CSV file stay unescaped.', default: false }),
  ),
})
export type ExportQuery = Static<typeof ExportQuery>

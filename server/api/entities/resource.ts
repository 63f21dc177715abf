/**
 * What the resources of records and entries offer alike beside writes of one entity: reads, queries, exports, histories of values, batches
 * and jobs. See docs/reference/records.md, docs/reference/lists-and-entries.md and docs/reference/query.md.
 */

import { readId } from '#base/errors/http'
import { rowOf } from '#db/driver/row-messages'
import type { ApiContext } from '#context'
import { parseJsonParameter } from '#api/http/request/read-parameters'
import { batchAnswer, JsonText, markedAnswer } from '#api/http/response/answer'
import { exportStream, type JsonStream, queryAnswer } from '#api/http/response/export-stream'
import { openByteWriter } from '#base/text/byte-writer'
import type { EntityType } from '#engine/data-model/model'
import { type ListedValues, listValues, type ValuesQuery } from '#engine/entities/history/list-values'
import { type DatedValueInput, writeValues } from '#engine/entities/history/write-values'
import { type AnsweredEntity, answerEntity, type EntityKind } from '#engine/entities/operations/definitions'
import {
  type BatchOptions,
  type EntityOperation,
  readBatchOperations,
  runBatch,
} from '#engine/entities/operations/run-batch'
import type { BatchBody, NamedOperation } from '#engine/entities/operations/schemas'
import { etagOfMessage } from '#engine/entities/read/etag'
import { type HeadWriter, rendererOf } from '#engine/entities/read/render'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { aggregateEntities } from '#engine/query/aggregate/aggregate-entities'
import type { AggregateBody, StatusHistoryBody } from '#engine/query/aggregate/schemas'
import { summarizeStatusHistory } from '#engine/query/aggregate/status-history'
import { type ExportQuery, startExport } from '#engine/query/export/export-entities'
import type { QueryBody } from '#engine/query/parse/schemas'
import { projectionOf } from '#engine/query/resolve/resolve-query'
import { queryEntities, pageBody } from '#engine/query/run/query-entities'
import { mayHaveLongTexts } from '#engine/query/run/long-texts'
import type { RowCollector } from '#engine/query/run/page-body'
import { runSmallLookup } from '#engine/query/run/run-statement'
import { rowStatement } from '#engine/storage/read-entities'

export interface EntityResource<T extends EntityType = EntityType> extends EntityKind<T> {
  /** Returns the entity type if the caller may read it. Throws 404. */
  findReadable(context: ApiContext, slugOrId: string): T
  /** Returns what appends the members of an entity before its values. */
  headWriter(context: ApiContext, entityType: T): HeadWriter
  /** Checks an operation of a batch. Throws 400. */
  readOperation(operation: NamedOperation): EntityOperation
}

/** An entity as the path of a request names it. */
export interface EntityPath {
  readonly entityType: string
  readonly id: string
}

interface AttributePath extends EntityPath {
  readonly attribute: string
}

/** Returns one entity. Throws 404 for the entity type and for the entity; the error names the record that it was merged into. */
export const getEntity = (resource: EntityResource, context: ApiContext, path: EntityPath): Promise<JsonText> =>
  ofEntity(resource, 'findReadable', context, path, async (context, entityType, id) => {
    const open = () => collectEntity(resource, context, entityType)
    return await runSmallLookup(context, rowStatement(context.model, entityType, id), open)
  })

/** Renders an entity from the message of its row, as a page does. One that may have long texts is rendered as writes render theirs. */
function collectEntity(
  resource: EntityResource,
  context: ApiContext,
  entityType: EntityType,
): RowCollector<Promise<JsonText> | JsonText | undefined> {
  let answer: Promise<JsonText> | JsonText | undefined
  return {
    add(message) {
      if (mayHaveLongTexts(message)) {
        answer = entityAnswer(answerEntity(resource, context, entityType, rowOf(message)))
        return
      }
      const writer = openByteWriter()
      writer.bytes(BEFORE_ENTITY)
      rendererOf(context.model, entityType).renderMessage(message, writer, resource.headWriter(context, entityType))
      writer.bytes(AFTER_ENTITY)
      answer = new JsonText(writer, { headers: { ETag: etagOfMessage(message) } })
    },
    end: () => answer,
  }
}

const [BEFORE_ENTITY, AFTER_ENTITY] = [Buffer.from('{"data":'), Buffer.from('}')]

/** The answer of one entity, with its entity tag. */
export const entityAnswer = ({ etag, entity }: AnsweredEntity): Promise<JsonText> =>
  markedAnswer(entity, { headers: { ETag: etag } })

/** Returns what `read` finds of one entity. Throws 404 for the entity type, and for the entity when it finds nothing. */
const ofEntity = <T>(
  resource: EntityResource,
  find: 'find' | 'findReadable',
  context: ApiContext,
  { entityType: slugOrId, id: text }: EntityPath,
  read: (context: ApiContext, entityType: EntityType, id: string) => Promise<T | undefined>,
): Promise<T> =>
  retryOnConflict(context, async (context) => {
    const entityType = resource[find](context, slugOrId)
    const id = readId(resource.noun, text)
    const found = await read(context, entityType, id)
    if (found === undefined) throw await resource.missing(context, entityType, id)
    return found
  })

/** Returns a page of entities. Throws 404 for the entity type, 400 for the query. */
export const queryResource = (
  resource: EntityResource,
  context: ApiContext,
  slugOrId: string,
  body: QueryBody,
): Promise<JsonText | JsonStream> =>
  retryOnConflict(context, async (context) => {
    const entityType = resource.findReadable(context, slugOrId)
    const renderer = projectionOf(context.model, entityType, body.fields)
    const writeHead = resource.headWriter(context, entityType)
    const page = await queryEntities(context, entityType, body, {
      select: renderer.layout.selectPage,
      render: (message, writer) => renderer.renderMessage(message, writer, writeHead),
    })
    return queryAnswer(pageBody(page), page.score)
  })

/** Throws 404 for the entity type, 400 for the body. See docs/reference/query.md (Aggregates). */
export const aggregateResource = (
  resource: EntityResource,
  context: ApiContext,
  slugOrId: string,
  body: AggregateBody,
): Promise<JsonText> =>
  retryOnConflict(context, async (context) => {
    const { data, score } = await aggregateEntities(context, resource.findReadable(context, slugOrId), body)
    return new JsonText(JSON.stringify({ data }), { queryScore: score })
  })

/** Throws 404 for the entity type, 400 for the body. See docs/reference/query.md (Status histories). */
export const statusHistoryOfResource = (
  resource: EntityResource,
  context: ApiContext,
  slugOrId: string,
  body: StatusHistoryBody,
): Promise<JsonText> =>
  retryOnConflict(context, async (context) => {
    const { data, score } = await summarizeStatusHistory(context, resource.findReadable(context, slugOrId), body)
    return new JsonText(JSON.stringify({ data }), { queryScore: score })
  })

/** Exports entities as CSV or NDJSON. Throws 404 for the entity type, 400 for the parameters. See docs/reference/query.md (Export). */
export async function exportResource(
  resource: EntityResource,
  context: ApiContext,
  slugOrId: string,
  query: ExportQuery,
): Promise<JsonStream> {
  const filter = parseJsonParameter('filter', query.filter)
  const sorts = parseJsonParameter('sorts', query.sorts)
  const find = (context: ApiContext) => resource.findReadable(context, slugOrId)
  const headWriter: EntityResource['headWriter'] = (context, entityType) => resource.headWriter(context, entityType)
  const pieces = await startExport(context, { find, headWriter }, { ...query, filter, sorts })
  return exportStream(pieces, find(context).api_slug, query.format)
}

/** Returns the values of one attribute as JSON text. Throws 404 for entity type, entity and attribute. See docs/reference/values.md (History). */
export const listEntityValues = (
  resource: EntityResource,
  context: ApiContext,
  path: AttributePath,
  query: ValuesQuery,
): Promise<ListedValues> =>
  ofEntity(resource, 'findReadable', context, path, (context, entityType, id) =>
    listValues(context, entityType, id, path.attribute, query),
  )

/** Replaces the history of one attribute. Throws 404 for entity type, entity and attribute. See docs/reference/values.md (History). */
export const writeEntityValues = (
  resource: EntityResource,
  context: ApiContext,
  path: AttributePath,
  inputs: readonly DatedValueInput[],
): Promise<string> =>
  ofEntity(resource, 'find', context, path, (context, entityType, id) =>
    writeValues(context, entityType, id, path.attribute, inputs),
  )

/** Writes many entities. Throws 404 and 403 for the entity type. With `isAtomic`, throws the failure of an operation. */
export async function writeBatch(
  resource: EntityResource,
  context: ApiContext,
  slugOrId: string,
  { operations }: BatchBody['data'],
  options: BatchOptions,
): Promise<JsonText> {
  resource.find(context, slugOrId)
  const read = readBatchOperations(operations, (operation) => resource.readOperation(operation))
  return batchAnswer(await runBatch(resource, slugOrId, context, read, options))
}

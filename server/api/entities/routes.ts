import { Elysia } from 'elysia'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { createJob, operationOf } from '#api/jobs/create-job'
import { JOB_SCOPES } from '#api/jobs/job'
import { bulkBody, JobAnswer } from '#api/jobs/schemas'
import { paramsOf, type RouteGuard } from '#api/http/guard/route'
import { optionalLimitOffset } from '#api/http/request/pagination'
import { JsonText } from '#api/http/response/answer'
import { EXPORT_TYPES, textAnswer } from '#api/http/response/export-stream'
import {
  type AnsweredEntity,
  createOperation,
  type EntityCreation,
  type EntityUpdate,
  type EntityUpsert,
  updateOperation,
  upsertOperation,
} from '#engine/entities/operations/definitions'
import { upsertAlone } from '#engine/entities/operations/run-alone'
import type { createCoalesced, updateCoalesced } from '#engine/entities/operations/run-coalesced'
import { ifMatch } from '#engine/entities/read/etag'
import type { MultiselectWrite } from '#engine/storage/entity-change'
import { BatchQuery, type batchBody, documentedBatchBody, requestsOfBatch } from '#engine/entities/operations/schemas'
import { ValueHistoryBody, ValuesAnswer } from '#engine/entities/read/schemas'
import { AggregateAnswer, AggregateBody, StatusHistoryAnswer, StatusHistoryBody } from '#engine/query/aggregate/schemas'
import { ExportQuery } from '#engine/query/export/export-entities'
import { QueryBody } from '#engine/query/parse/schemas'
import type { Scope } from '#vocabulary/scopes'
import {
  aggregateResource,
  type EntityPath,
  type EntityResource,
  entityAnswer,
  exportResource,
  getEntity,
  listEntityValues,
  queryResource,
  writeBatch,
  writeEntityValues,
  statusHistoryOfResource,
} from './resource'

type CollectionPath = '/v2/objects/:object/records' | '/v2/lists/:list/entries' | '/v2/activities/:activity/records'
type SinglePath = `${CollectionPath}/:${'record_id' | 'entry_id'}`
type ValuesPath = `${SinglePath}/attributes/:attribute/values`

/** What differs between the routes that records and entries have alike. */
interface EntityRoutes {
  readonly resource: EntityResource
  /** The path of the entities of an object or of a list. */
  readonly path: string
  readonly tag: string
  /** The scopes of reads. Those of writes are the scopes of jobs. */
  readonly read: readonly Scope[]
  /** What texts call an entity, and several. */
  readonly noun: { readonly one: string; readonly many: string }
  /** What the names of operations call an entity, and several. */
  readonly name: { readonly one: string; readonly many: string }
  readonly batchBody: ReturnType<typeof batchBody>
  /** The members of each operation of a batch. */
  readonly operations: Parameters<typeof documentedBatchBody>[1]
  readonly batchAnswer: TSchema
  readonly answer: TSchema
  readonly pageAnswer: TSchema
}

/** What Elysia found in the path of a route. */
type FoundParams = Readonly<Record<string, string>>

function entityTypeIn({ kind }: EntityResource, found: FoundParams): string {
  return paramsOf<CollectionPath>(found)[kind]
}

/** The entity that a path names. */
export function entityIn(resource: EntityResource, found: FoundParams): EntityPath {
  const params = paramsOf<SinglePath>(found)
  return {
    entityType: entityTypeIn(resource, found),
    id: resource.kind === 'list' ? params.entry_id : params.record_id,
  }
}

/** Makes the response of an entity, with the entity tag of its version. */
export const tagged = async (answered: Promise<AnsweredEntity>): Promise<JsonText> => entityAnswer(await answered)

interface CreateRoutes<C extends TSchema, U extends TSchema, Q extends TObject> {
  readonly create: {
    readonly description?: string
    readonly body: C
    inputOf(body: Static<C>): EntityCreation
    readonly run: typeof createCoalesced
  }
  readonly upsert: {
    /** Replaces the name that the entity gives the operation. */
    readonly operation?: string
    readonly summary?: string
    readonly description?: string
    readonly query?: Q
    readonly body: U
    inputOf(body: Static<U>, query: Static<Q>): EntityUpsert
  }
}

/** Creations and upserts, queries, exports, batches and jobs. */
export const collectionRoutes = <C extends TSchema, U extends TSchema, Q extends TObject = TObject<{}>>(
  guard: RouteGuard,
  routes: EntityRoutes,
  { create, upsert }: CreateRoutes<C, U, Q>,
) => {
  const { resource, path, tag, read, noun, name } = routes
  const write = JOB_SCOPES[resource.kind]
  const writing = { tag, scopes: write, usesConfiguredLimit: true, response: routes.answer }
  const { inputOf: creationOf, run, ...createSpec } = create
  const { inputOf: upsertOf, ...upsertSpec } = upsert
  return new Elysia({ name: `collections of ${noun.many}` })
    .post(
      ...guard(
        path,
        { operation: `create${name.one}`, summary: `Create ${noun.one}`, ...createSpec, ...writing },
        ({ context, params, body }) =>
          tagged(run(createOperation(resource, entityTypeIn(resource, params)), context, creationOf(body))),
      ),
    )
    .put(
      ...guard(
        path,
        { operation: `upsert${name.one}`, summary: `Upsert ${noun.one}`, ...upsertSpec, ...writing },
        ({ context, params, query, body }) =>
          tagged(
            upsertAlone(upsertOperation(resource, entityTypeIn(resource, params)), context, upsertOf(body, query)),
          ),
      ),
    )
    .post(
      ...guard(
        `${path}/query`,
        {
          operation: `query${name.many}`,
          summary: `Query ${noun.many} by filter and sort`,
          tag,
          scopes: read,
          counts: 'read',
          body: QueryBody,
          bodyOptional: true,
          response: routes.pageAnswer,
        },
        ({ context, params, body }) => queryResource(resource, context, entityTypeIn(resource, params), body),
      ),
    )
    .post(
      ...guard(
        `${path}/aggregate`,
        {
          operation: `aggregate${name.many}`,
          summary: `Compute aggregates of ${noun.many}`,
          description:
            'Over everything that the filter finds: counts, sums and other aggregates, and the number by group.',
          tag,
          scopes: read,
          counts: 'read',
          body: AggregateBody,
          bodyOptional: true,
          response: AggregateAnswer,
        },
        ({ context, params, body }) => aggregateResource(resource, context, entityTypeIn(resource, params), body),
      ),
    )
    .post(
      ...guard(
        `${path}/status-history`,
        {
          operation: `summarize${name.one}StatusHistory`,
          summary: `Summarize the statuses that ${noun.many} had`,
          description: 'For each status of an attribute: how many reached it, and how long they had it.',
          tag,
          scopes: read,
          counts: 'read',
          body: StatusHistoryBody,
          response: StatusHistoryAnswer,
        },
        ({ context, params, body }) => statusHistoryOfResource(resource, context, entityTypeIn(resource, params), body),
      ),
    )
    .get(
      ...guard(
        `${path}/export`,
        {
          operation: `export${name.many}`,
          summary: `Export ${noun.many} as CSV or NDJSON`,
          description: `All ${noun.many} that the filter finds, in one streamed response.`,
          tag,
          scopes: read,
          query: ExportQuery,
          response: undefined,
          otherTypes: EXPORT_TYPES,
          isHeavy: true,
        },
        ({ context, params, query }) => exportResource(resource, context, entityTypeIn(resource, params), query),
      ),
    )
    .post(
      ...guard(
        `${path}/batch`,
        {
          operation: `batch${name.many}`,
          summary: `Create, update and delete many ${noun.many}`,
          description: 'Runs the operations in their order. A result has the status and the error of a single request.',
          tag,
          scopes: write,
          query: BatchQuery,
          body: routes.batchBody,
          documentedBody: documentedBatchBody(routes.batchBody, routes.operations),
          usesConfiguredLimit: true,
          requestsOf: requestsOfBatch,
          isHeavy: true,
          response: routes.batchAnswer,
        },
        ({ context, params, query, body: { data } }) =>
          writeBatch(resource, context, entityTypeIn(resource, params), data, {
            isAtomic: data.atomic ?? false,
            returns: query.return ?? 'full',
          }),
      ),
    )
    .post(
      ...guard(
        `${path}/bulk`,
        {
          operation: `bulk${name.many}`,
          isHeavy: true,
          summary: `Update or delete all ${noun.many} that match a filter`,
          description: `Creates a job that writes the ${noun.many} in the background. The filter \`{}\` matches all ${noun.many}.`,
          tag,
          scopes: write,
          body: bulkBody(resource.member),
          usesConfiguredLimit: true,
          response: JobAnswer,
          status: 202,
        },
        async ({ context, params, body: { data } }) => {
          const { filter, time_zone, operation } = data
          const values = operation[resource.member]
          const job = {
            filter,
            time_zone,
            operation: operationOf(operation.op, resource.member, { values, mode: operation.mode }),
          }
          const created = await createJob(context, resource, entityTypeIn(resource, params), job)
          return new JsonText(JSON.stringify({ data: created }), { status: 202 })
        },
      ),
    )
}

interface UpdateRoutes<B extends TSchema> {
  readonly body: B
  changeOf(body: Static<B>): Pick<EntityUpdate, 'values' | 'parent'>
  readonly run: typeof updateCoalesced
}

/** Reads and updates of one entity, and the histories of its values. */
export const singleRoutes = <B extends TSchema>(guard: RouteGuard, routes: EntityRoutes, update: UpdateRoutes<B>) => {
  const { resource, tag, read, noun, name, answer } = routes
  const write = JOB_SCOPES[resource.kind]
  const path = `${routes.path}/:${resource.idMembers[1]}`
  const valuesPath = `${path}/attributes/:attribute/values`

  /** PATCH and PUT differ in what they do to the values of multiselect attributes. */
  const updateRoute = (multiselectWrite: MultiselectWrite, operation: string, effect: string) =>
    guard(
      path,
      {
        operation,
        summary: `Update ${noun.one}, ${effect} multiselect values`,
        tag,
        scopes: write,
        body: update.body,
        usesConfiguredLimit: true,
        response: answer,
        usesIfMatch: true,
      },
      ({ context, params, body, request }) => {
        const { entityType, id } = entityIn(resource, params)
        const input = { ...update.changeOf(body), id, multiselectWrite, ifMatch: ifMatch(request) }
        return tagged(update.run(updateOperation(resource, entityType), context, input))
      },
    )

  return new Elysia({ name: `single ${noun.many}` })
    .get(
      ...guard(
        path,
        { operation: `get${name.one}`, summary: `Get ${noun.one}`, tag, scopes: read, response: answer },
        ({ context, params }) => getEntity(resource, context, entityIn(resource, params)),
      ),
    )
    .patch(...updateRoute('append', `update${name.one}Append`, 'adding to'))
    .put(...updateRoute('overwrite', `update${name.one}Overwrite`, 'replacing'))
    .get(
      ...guard(
        valuesPath,
        {
          operation: `list${name.one}AttributeValues`,
          summary: `List an attribute's values of ${noun.one}`,
          tag,
          scopes: read,
          query: ValuesListQuery,
          response: ValuesAnswer,
        },
        async ({ context, params, query }) =>
          textAnswer(await listEntityValues(resource, context, valuesIn(resource, params), query)),
      ),
    )
    .put(
      ...guard(
        valuesPath,
        {
          operation: `write${name.one}AttributeValues`,
          summary: `Replace the history of an attribute's values of ${noun.one}`,
          tag,
          scopes: write,
          body: ValueHistoryBody,
          usesConfiguredLimit: true,
          response: ValuesAnswer,
        },
        async ({ context, params, body }) =>
          new JsonText(await writeEntityValues(resource, context, valuesIn(resource, params), body.data.values)),
      ),
    )
}

const ValuesListQuery = Type.Object({
  show_historic: Type.Optional(Type.Boolean({ default: false })),
  ...optionalLimitOffset(),
})

const valuesIn = (resource: EntityResource, found: FoundParams) => ({
  ...entityIn(resource, found),
  attribute: paramsOf<ValuesPath>(found).attribute,
})

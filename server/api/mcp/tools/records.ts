import { Type } from 'typebox'
import { getObject } from '#engine/data-model/find'
import { compactValues, type RenderedValues } from '#api/mcp/answers'
import {
  ADDS,
  defineTool,
  FilterArgument,
  nextPage,
  ObjectSlug,
  page,
  pageOfArguments,
  READS,
  RecordId,
  REPLACES,
  Sorts,
  type ToolCall,
  Values,
  changedValues,
} from './define'

interface RecordData {
  readonly id: { readonly record_id: string }
  readonly web_url: string
  readonly values: RenderedValues
}

const compact = ({ context }: ToolCall, object: string, { id, values }: RecordData) => ({
  id: id.record_id,
  ...compactValues(getObject(context.model, object), values),
})

/** What a write answers. The values are left out, because the assistant sent them. */
const written = (answer: unknown) => {
  const { id, web_url } = (answer as { data: RecordData }).data // as in the schema of the operation
  return { id: id.record_id, url: web_url }
}

export const searchRecordsTool = defineTool({
  name: 'search_records',
  title: 'Search records',
  description:
    'Finds records of objects and activities by the words of their names, by email address, domain or telephone number.',
  operations: ['searchRecords'],
  effect: READS,
  arguments: Type.Object({
    query: Type.String({ maxLength: 256 }),
    objects: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 50,
      description: 'Slugs of objects and activities.',
    }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 25, default: 10 })),
  }),
  async run({ query, objects, limit = 10 }, { call }) {
    const body = { query, objects, limit, request_as: { type: 'workspace' } }
    const { data } = (await call('searchRecords', { body })) as { data: Found[] } // as in the schema of the operation
    return data.map(({ id, object_slug, record_text, email_addresses, domains, timestamp }) => ({
      id: id.record_id,
      object: object_slug,
      name: record_text,
      ...(email_addresses?.length ? { email_addresses } : {}),
      ...(domains?.length ? { domains } : {}),
      ...(timestamp === undefined ? {} : { timestamp }),
    }))
  },
})

interface Found {
  readonly id: { readonly record_id: string }
  readonly object_slug: string
  readonly record_text: string
  readonly email_addresses?: readonly string[]
  readonly domains?: readonly string[]
  readonly timestamp?: string
}

export const queryRecordsTool = defineTool({
  name: 'query_records',
  title: 'Query records',
  description: 'Finds records of an object by filter and sort. Name the attributes that you need in `fields`.',
  operations: ['queryRecords'],
  effect: READS,
  arguments: Type.Object({
    object: ObjectSlug,
    filter: Type.Optional(FilterArgument),
    sorts: Type.Optional(Sorts),
    fields: Type.Optional(
      Type.Array(Type.String(), { maxItems: 100, description: 'Slugs of attributes. Default: all.' }),
    ),
    count: Type.Optional(Type.Boolean({ description: 'Whether to count all that the filter finds.' })),
    ...page(100),
  }),
  async run({ object, filter, sorts, fields, count, ...given }, toolCall) {
    const place = pageOfArguments(given)
    const body = { filter, sorts, fields, include_count: count, ...place }
    const answer = await toolCall.call('queryRecords', { params: { object }, body })
    const { data, pagination } = answer as { data: RecordData[]; pagination?: { total?: number } } // as in the schema of the operation
    return {
      records: data.map((record) => compact(toolCall, object, record)),
      ...nextPage(data, place),
      ...(pagination?.total === undefined ? {} : { total: pagination.total }),
    }
  },
})

export const getRecordTool = defineTool({
  name: 'get_record',
  title: 'Get a record',
  description: 'Reads all values of a record.',
  operations: ['getRecord'],
  effect: READS,
  arguments: Type.Object({ object: ObjectSlug, record_id: RecordId }),
  async run({ object, record_id }, toolCall) {
    const answer = await toolCall.call('getRecord', { params: { object, record_id } })
    const { data } = answer as { data: RecordData } // as in the schema of the operation
    return { ...compact(toolCall, object, data), url: data.web_url }
  },
})

export const createRecordTool = defineTool({
  name: 'create_record',
  title: 'Create a record',
  description: 'Creates a record. To avoid duplicates, use upsert_record with a unique attribute.',
  operations: ['createRecord'],
  effect: ADDS,
  arguments: Type.Object({ object: ObjectSlug, values: Values }),
  run: async ({ object, values }, { call }) =>
    written(await call('createRecord', { params: { object }, body: { data: { values } } })),
})

export const updateRecordTool = defineTool({
  name: 'update_record',
  title: 'Update a record',
  description:
    'Changes the given values of a record. Several values are added to those that are there, or replace them with `replace`.',
  operations: ['updateRecordAppend', 'updateRecordOverwrite'],
  effect: REPLACES,
  arguments: Type.Object({
    object: ObjectSlug,
    record_id: RecordId,
    ...changedValues,
  }),
  async run({ object, record_id, values, replace = false }, { call }) {
    const operation = replace ? 'updateRecordOverwrite' : 'updateRecordAppend'
    return written(await call(operation, { params: { object, record_id }, body: { data: { values } } }))
  },
})

export const upsertRecordTool = defineTool({
  name: 'upsert_record',
  title: 'Create or update a record',
  description: 'Updates the record that has the same value of a unique attribute, or creates one.',
  operations: ['upsertRecord'],
  effect: REPLACES,
  arguments: Type.Object({
    object: ObjectSlug,
    matching_attribute: Type.String({ description: 'Slug of a unique attribute that is in `values`.' }),
    values: Values,
  }),
  run: async ({ object, matching_attribute, values }, { call }) =>
    written(
      await call('upsertRecord', { params: { object }, query: { matching_attribute }, body: { data: { values } } }),
    ),
})

/** Tools for records, list entries and records of activities. */

import { Type } from 'typebox'
import { getObject, getActivity } from '#engine/data-model/find'
import { compactValues, type RenderedValues } from '#api/mcp/answers'
import {
  ADDS,
  defineTool,
  defineUpdateTool,
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
  EntryId,
  ListSlug,
  ActivitySlug,
} from './define'
import { getList } from '#access/list-access/list-access'

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

export const updateRecordTool = defineUpdateTool({
  name: 'update_record',
  title: 'Update a record',
  description:
    'Changes the given values of a record. Several values are added to those that are there, or replace them with `replace`.',
  operation: 'updateRecord',
  params: { object: ObjectSlug, record_id: RecordId },
  written,
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

interface EntryData {
  readonly id: { readonly entry_id: string }
  readonly parent_object: string
  readonly parent_record_id: string
  readonly entry_values: RenderedValues
}

const compactEntry = (
  { context }: ToolCall,
  list: string,
  { id, parent_object, parent_record_id, entry_values }: EntryData,
) => ({
  id: id.entry_id,
  parent_object,
  parent_record_id,
  ...compactValues(getList(context, list, 'read-only'), entry_values),
})

const writtenEntry = (answer: unknown) => ({ id: (answer as { data: EntryData }).data.id.entry_id }) // as in the schema of the operation

export const queryEntriesTool = defineTool({
  name: 'query_entries',
  title: 'Query list entries',
  description: 'Finds entries of a list by filter and sort. An entry is a record in a list, with values of its own.',
  operations: ['queryEntries'],
  effect: READS,
  arguments: Type.Object({
    list: ListSlug,
    filter: Type.Optional(FilterArgument),
    sorts: Type.Optional(Sorts),
    ...page(100),
  }),
  async run({ list, filter, sorts, ...given }, toolCall) {
    const place = pageOfArguments(given)
    const answer = await toolCall.call('queryEntries', { params: { list }, body: { filter, sorts, ...place } })
    const { data } = answer as { data: EntryData[] } // as in the schema of the operation
    return { entries: data.map((entry) => compactEntry(toolCall, list, entry)), ...nextPage(data, place) }
  },
})

export const listRecordEntriesTool = defineTool({
  name: 'list_record_entries',
  title: 'List the lists of a record',
  description: 'Lists the entries of a record, with the slugs of their lists.',
  operations: ['listRecordEntries'],
  effect: READS,
  arguments: Type.Object({ object: ObjectSlug, record_id: RecordId }),
  async run({ object, record_id }, { call }) {
    const answer = await call('listRecordEntries', { params: { object, record_id } })
    const { data } = answer as { data: { list_api_slug: string; entry_id: string }[] } // as in the schema of the operation
    return data.map(({ list_api_slug, entry_id }) => ({ list: list_api_slug, id: entry_id }))
  },
})

export const createEntryTool = defineTool({
  name: 'create_entry',
  title: 'Add a record to a list',
  description: 'Adds a record to a list, with values of the attributes of the list.',
  operations: ['createEntry'],
  effect: ADDS,
  arguments: Type.Object({ list: ListSlug, object: ObjectSlug, record_id: RecordId, values: Type.Optional(Values) }),
  async run({ list, object, record_id, values = {} }, { call }) {
    const data = { parent_object: object, parent_record_id: record_id, entry_values: values }
    return writtenEntry(await call('createEntry', { params: { list }, body: { data } }))
  },
})

export const updateEntryTool = defineUpdateTool({
  name: 'update_entry',
  title: 'Update a list entry',
  description: 'Changes the given values of an entry, for example its stage.',
  operation: 'updateEntry',
  params: { list: ListSlug, entry_id: EntryId },
  member: 'entry_values',
  written: writtenEntry,
})

interface ActivityRecordData {
  readonly id: { readonly record_id: string }
  readonly values: RenderedValues
}

const writtenActivityRecord = (answer: unknown) => ({ id: (answer as { data: ActivityRecordData }).data.id.record_id }) // as in the schema of the operation

export const queryActivityRecordsTool = defineTool({
  name: 'query_activity_records',
  title: 'Query records of an activity',
  description:
    'Finds records of an activity, such as phone calls, by filter and sort. Those of a person: {"people": {"target_object": "people", "target_record_id": "<id>"}}.',
  operations: ['queryActivityRecords'],
  effect: READS,
  arguments: Type.Object({
    activity: ActivitySlug,
    filter: Type.Optional(FilterArgument),
    sorts: Type.Optional(Sorts),
    ...page(100),
  }),
  async run({ activity, filter, sorts, ...given }, { context, call }) {
    const place = pageOfArguments(given)
    const answer = await call('queryActivityRecords', { params: { activity }, body: { filter, sorts, ...place } })
    const { data } = answer as { data: ActivityRecordData[] } // as in the schema of the operation
    const type = getActivity(context.model, activity)
    const records = data.map(({ id, values }) => ({ id: id.record_id, ...compactValues(type, values) }))
    return { records, ...nextPage(data, place) }
  },
})

export const createActivityRecordTool = defineTool({
  name: 'create_activity_record',
  title: 'Log an activity',
  description: 'Adds a record to an activity, for example logs a phone call with the people whom it was with.',
  operations: ['createActivityRecord'],
  effect: ADDS,
  arguments: Type.Object({ activity: ActivitySlug, values: Values }),
  run: async ({ activity, values }, { call }) =>
    writtenActivityRecord(await call('createActivityRecord', { params: { activity }, body: { data: { values } } })),
})

export const updateActivityRecordTool = defineUpdateTool({
  name: 'update_activity_record',
  title: 'Update a record of an activity',
  description: 'Changes the given values of a record of an activity.',
  operation: 'updateActivityRecord',
  params: { activity: ActivitySlug, record_id: RecordId },
  written: writtenActivityRecord,
})

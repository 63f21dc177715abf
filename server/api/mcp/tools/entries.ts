import { Type } from 'typebox'
import { getList } from '#access/list-access/list-access'
import { compactValues, type RenderedValues } from '#api/mcp/answers'
import {
  ADDS,
  defineTool,
  EntryId,
  FilterArgument,
  ListSlug,
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

interface EntryData {
  readonly id: { readonly entry_id: string }
  readonly parent_object: string
  readonly parent_record_id: string
  readonly entry_values: RenderedValues
}

const compact = (
  { context }: ToolCall,
  list: string,
  { id, parent_object, parent_record_id, entry_values }: EntryData,
) => ({
  id: id.entry_id,
  parent_object,
  parent_record_id,
  ...compactValues(getList(context, list, 'read-only'), entry_values),
})

const written = (answer: unknown) => ({ id: (answer as { data: EntryData }).data.id.entry_id }) // as in the schema of the operation

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
    return { entries: data.map((entry) => compact(toolCall, list, entry)), ...nextPage(data, place) }
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
    return written(await call('createEntry', { params: { list }, body: { data } }))
  },
})

export const updateEntryTool = defineTool({
  name: 'update_entry',
  title: 'Update a list entry',
  description: 'Changes the given values of an entry, for example its stage.',
  operations: ['updateEntryAppend', 'updateEntryOverwrite'],
  effect: REPLACES,
  arguments: Type.Object({
    list: ListSlug,
    entry_id: EntryId,
    ...changedValues,
  }),
  async run({ list, entry_id, values, replace = false }, { call }) {
    const operation = replace ? 'updateEntryOverwrite' : 'updateEntryAppend'
    return written(await call(operation, { params: { list, entry_id }, body: { data: { entry_values: values } } }))
  },
})

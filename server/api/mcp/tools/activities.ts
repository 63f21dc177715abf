import { Type } from 'typebox'
import { getActivity } from '#engine/data-model/find'
import { compactValues, type RenderedValues } from '#api/mcp/answers'
import {
  ActivitySlug,
  ADDS,
  defineTool,
  FilterArgument,
  nextPage,
  page,
  pageOfArguments,
  READS,
  RecordId,
  REPLACES,
  Sorts,
  Values,
  changedValues,
} from './define'

interface ActivityRecordData {
  readonly id: { readonly record_id: string }
  readonly values: RenderedValues
}

const written = (answer: unknown) => ({ id: (answer as { data: ActivityRecordData }).data.id.record_id }) // as in the schema of the operation

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
    written(await call('createActivityRecord', { params: { activity }, body: { data: { values } } })),
})

export const updateActivityRecordTool = defineTool({
  name: 'update_activity_record',
  title: 'Update a record of an activity',
  description: 'Changes the given values of a record of an activity.',
  operations: ['updateActivityRecordAppend', 'updateActivityRecordOverwrite'],
  effect: REPLACES,
  arguments: Type.Object({
    activity: ActivitySlug,
    record_id: RecordId,
    ...changedValues,
  }),
  async run({ activity, record_id, values, replace = false }, { call }) {
    const operation = replace ? 'updateActivityRecordOverwrite' : 'updateActivityRecordAppend'
    return written(await call(operation, { params: { activity, record_id }, body: { data: { values } } }))
  },
})

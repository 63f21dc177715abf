/** Copies the records of an object or an activity, or the entries of a list. */

import { readRowsOfApi } from '#run/cli/copy/api/read-rows'
import type { CopyContext, CopyOutcome } from '#run/cli/copy/copy-context'
import {
  type CopiedAttribute,
  isEntry,
  isRecord,
  type SourceEntry,
  type SourceRecord,
  isTask,
  type SourceTask,
} from '#run/cli/copy/shapes'
import { convertValues, convertActor, convertReference } from './convert-values'
import { writeItem } from './write-item'

export interface CopiedEntityType {
  /** At the source, for example `/v2/objects/people`. */
  readonly sourcePath: string
  /** At the target. */
  readonly path: string
  /** The slug at the target. */
  readonly slug: string
  readonly attributes: readonly CopiedAttribute[]
}

const PAGE = 500
const OLDEST_FIRST = [{ attribute: 'created_at', direction: 'asc' }]

/**
 * Leaves out references to records that have no copy yet, and returns whether there are any. A second call writes those
 * whose records were copied in the meantime; `isLast` counts what is refused then.
 */
export async function copyRecords(context: CopyContext, object: CopiedEntityType, isLast: boolean): Promise<boolean> {
  const { source, problems, tally } = context
  const path = `${object.path}/records`
  const section = `records of ${object.slug}`
  let isPending = false
  const rows = readRowsOfApi<SourceRecord>(
    {
      kind: section,
      limit: PAGE,
      isRow: isRecord,
      idOf: ({ id }) => id.record_id,
      readPage: (limit, offset) =>
        source.request('POST', `${object.sourcePath}/records/query`, { limit, offset, sorts: OLDEST_FIRST }),
    },
    problems,
  )
  for await (const row of rows) {
    const item = { kind: 'record', sourceId: row.id.record_id } as const
    problems.clear(item.kind, item.sourceId)
    const converted = convertValues(context, object.attributes, { ...item, values: row.values })
    const outcome = await writeItem(context, {
      ...item,
      path,
      updateMethod: 'PUT',
      idMember: 'record_id',
      members: { values: converted.values },
      valuesMember: 'values',
    })
    isPending ||= converted.isPending
    if (isLast || outcome !== 'not copied' || !converted.isPending) tally.add(section, outcome)
  }
  tally.finish(section)
  return isPending
}

export async function copyEntries(context: CopyContext, list: CopiedEntityType): Promise<void> {
  const { source, problems, tally } = context
  const section = `entries of ${list.slug}`
  const rows = readRowsOfApi<SourceEntry>(
    {
      kind: section,
      limit: PAGE,
      isRow: isEntry,
      idOf: ({ id }) => id.entry_id,
      readPage: (limit, offset) =>
        source.request('POST', `${list.sourcePath}/entries/query`, { limit, offset, sorts: OLDEST_FIRST }),
    },
    problems,
  )
  for await (const row of rows) tally.add(section, await copyEntry(context, list, row))
  tally.finish(section)
}

async function copyEntry(context: CopyContext, list: CopiedEntityType, row: SourceEntry) {
  const item = { kind: 'entry', sourceId: row.id.entry_id } as const
  const parent = context.state.find('record', row.parent_record_id)
  if (parent === undefined) {
    context.problems.add(item.kind, item.sourceId, `The parent record ${row.parent_record_id} has no copy.`)
    return 'not copied'
  }
  const { values } = convertValues(context, list.attributes, { ...item, values: row.entry_values })
  return writeItem(context, {
    ...item,
    path: `${list.path}/entries`,
    updateMethod: 'PUT',
    idMember: 'entry_id',
    members: { entry_values: values },
    membersOnCreate: { parent_object: row.parent_object, parent_record_id: parent.id },
    valuesMember: 'entry_values',
  })
}

export async function copyTasks(context: CopyContext): Promise<void> {
  const { source, problems, tally } = context
  const rows = readRowsOfApi<SourceTask>(
    {
      kind: 'tasks',
      limit: PAGE,
      isRow: isTask,
      idOf: ({ id }) => id.task_id,
      readPage: (limit, offset) => source.request('GET', `/v2/tasks?limit=${limit}&offset=${offset}`),
    },
    problems,
  )
  for await (const row of rows) tally.add('tasks', await copyTask(context, row))
  tally.finish('tasks')
}

function copyTask(context: CopyContext, row: SourceTask): Promise<CopyOutcome> {
  const item = { kind: 'task', sourceId: row.id.task_id }
  const keep = (member: string, outcomes: readonly ReturnType<typeof convertActor>[]) =>
    outcomes.flatMap((outcome) => {
      if ('value' in outcome) return [outcome.value]
      context.problems.add(item.kind, item.sourceId, outcome.problem, member)
      return []
    })
  const links = row.linked_records.map(({ target_object_id, target_record_id }) =>
    convertReference(context, { target_object: target_object_id, target_record_id }),
  )
  return writeItem(context, {
    ...item,
    path: '/v2/tasks',
    updateMethod: 'PATCH',
    idMember: 'task_id',
    members: {
      content: row.content_plaintext,
      format: 'plaintext',
      deadline_at: row.deadline_at,
      is_completed: row.is_completed,
      linked_records: keep('linked_records', links),
      assignees: keep(
        'assignees',
        row.assignees.map((assignee) => convertActor(context, assignee)),
      ),
    },
  })
}

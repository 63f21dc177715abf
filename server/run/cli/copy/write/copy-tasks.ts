import { readRowsOfApi } from '#run/cli/copy/api/read-rows'
import type { CopyContext, CopyOutcome } from '#run/cli/copy/copy-context'
import { isTask, type SourceTask } from '#run/cli/copy/shapes'
import { convertActor, convertReference } from './convert-values'
import { writeItem } from './write-item'

/** The largest page of the list of tasks. */
const PAGE = 500

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

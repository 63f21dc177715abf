import { describe, expect, test } from 'bun:test'
import { assigneeOf, type Task } from '../../api/tasks/tasks'
import { deadlineOf } from './due'
import { changesOf, draftOf, type TaskDraft } from './task-changes'

const linked = [{ target_object_id: 'people', target_record_id: 'ada' }]
const task: Task = {
  id: { workspace_id: 'workspace', task_id: 'task' },
  content_plaintext: 'Call Ada',
  deadline_at: new Date(2026, 10, 22, 17).toISOString(),
  is_completed: false,
  completed_at: null,
  linked_records: linked,
  assignees: [assigneeOf('grace')],
  created_by_actor: { type: 'system', id: null },
  created_at: '2026-11-20T08:00:00.000000000Z',
}

describe('the dialog of a task saves', () => {
  const cases: [title: string, draft: Partial<TaskDraft>, change: object][] = [
    ['nothing that was left as it is', {}, {}],
    ['the content', { content: ' Write to Ada\n' }, { content: 'Write to Ada' }],
    ['no content that has other white space around it only', { content: 'Call Ada ' }, {}],
    ['the deadline of another day', { day: '2026-11-23' }, { deadline_at: deadlineOf('2026-11-23') }],
    ['the removed deadline', { day: '' }, { deadline_at: null }],
    ['the assignees', { memberIds: ['grace', 'joan'] }, { assignees: [assigneeOf('grace'), assigneeOf('joan')] }],
    ['the removed assignees', { memberIds: [] }, { assignees: [] }],
    ['the records', { linked: [] }, { linked_records: [] }],
    ['no records that are the same', { linked: [...linked] }, {}],
  ]
  test.each(cases)('%s', (_title, draft, change) => {
    expect(changesOf(task, { ...draftOf(task), ...draft })).toEqual(change)
  })
})

/** Tasks: a page of one member's open tasks, a page of a record's tasks, a new task; and the activity of a record. */

import { ADMIN, anyone, PEOPLE, readAbout, type Workload } from './workload'

export const TASKS: readonly Workload[] = [
  {
    name: 'task-page',
    title: 'open tasks of a member, by deadline',
    request: (random) => {
      const offset = 50 * random.below(10)
      const path = `/v2/tasks?assignee=${ADMIN}&is_completed=false&sort=deadline_at:asc&limit=50&offset=${offset}`
      return { method: 'GET', path }
    },
    target: { rate: 0.5 },
    within: 20,
    needs: 'tasks',
  },
  readAbout(
    { name: 'task-record', title: 'tasks of a record', needs: 'tasks', rate: 0.4 },
    ({ id }) => `/v2/tasks?linked_object=people&linked_record_id=${id}&limit=50`,
  ),
  {
    name: 'task-create',
    title: 'create a task for a record',
    request: (random, seeded) => ({
      method: 'POST',
      path: '/v2/tasks',
      body: {
        data: {
          content: `Call back, attempt ${seeded.next()}`,
          format: 'plaintext',
          deadline_at: `2030-01-${10 + random.below(20)}T09:00:00Z`,
          is_completed: false,
          linked_records: [{ target_object: 'people', target_record_id: anyone(random, seeded).id }],
          assignees: [ADMIN],
        },
      },
    }),
    target: { rate: 0.3 },
    needs: 'tasks',
  },
  readAbout(
    { name: 'activity', title: 'the activity of a record', needs: 'tasks' },
    ({ id }) => `${PEOPLE}/${id}/activity`,
  ),
]

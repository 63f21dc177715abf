import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import { ifMatch } from '#engine/entities/read/etag'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import type { Scope } from '#vocabulary/scopes'
import type { AnsweredTask } from './task'
import { createTask, deleteTask, updateTask } from './write'
import { getTask, listTasks } from './read'
import { CreateTaskBody, TaskAnswer, TasksAnswer, TasksQuery, UpdateTaskBody } from './schemas'

const tag = 'Tasks'
const OTHERS: readonly Scope[] = ['object_configuration:read', 'record_permission:read', 'user_management:read']
const READ: readonly Scope[] = ['task:read', ...OTHERS]
const WRITE: readonly Scope[] = ['task:read-write', ...OTHERS]

/** A task with its version as entity tag. */
const tagged = async (task: Promise<AnsweredTask>): Promise<JsonText> => {
  const { data, etag } = await task
  return new JsonText(JSON.stringify({ data }), { headers: { ETag: etag } })
}

/** See docs/reference/tasks.md. */
export const taskRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'tasks' })
    .get(
      ...guard(
        '/v2/tasks',
        {
          operation: 'listTasks',
          summary: 'List tasks',
          description: 'All tasks, or those of a record, of an assignee, or without assignees.',
          tag,
          scopes: READ,
          query: TasksQuery,
          response: TasksAnswer,
        },
        async ({ context, query }) => ({ data: await listTasks(context, query) }),
      ),
    )
    .post(
      ...guard(
        '/v2/tasks',
        {
          operation: 'createTask',
          summary: 'Create a task',
          tag,
          scopes: WRITE,
          body: CreateTaskBody,
          response: TaskAnswer,
        },
        ({ context, body }) => tagged(createTask(context, body.data)),
      ),
    )
    .get(
      ...guard(
        '/v2/tasks/:task_id',
        { operation: 'getTask', summary: 'Get a task', tag, scopes: READ, response: TaskAnswer },
        ({ context, params }) => tagged(getTask(context, params.task_id)),
      ),
    )
    .patch(
      ...guard(
        '/v2/tasks/:task_id',
        {
          operation: 'updateTask',
          summary: 'Update a task',
          description: 'Linked records and assignees are replaced as a whole.',
          tag,
          scopes: WRITE,
          body: UpdateTaskBody,
          response: TaskAnswer,
          usesIfMatch: true,
        },
        ({ context, params, body, request }) =>
          tagged(updateTask(context, params.task_id, body.data, ifMatch(request))),
      ),
    )
    .delete(
      ...guard(
        '/v2/tasks/:task_id',
        {
          operation: 'deleteTask',
          summary: 'Delete a task',
          tag,
          scopes: ['task:read-write'],
          response: EmptyAnswer,
          usesIfMatch: true,
        },
        ({ context, params, request }) => deleteTask(context, params.task_id, ifMatch(request)),
      ),
    )

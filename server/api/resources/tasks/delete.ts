import type { ApiContext } from '#context'
import { requireMatch } from '#engine/entities/read/etag'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { taskNotFound } from '#base/errors/tasks'
import { recordTaskEvent } from './events'
import { taskIdOf } from './get'
import { deleteTaskRow, findTask } from './store'

/** Deletes a task for good; the records it is linked to stay. Throws 404 and 412. */
export const deleteTask = (context: ApiContext, taskId: string, ifMatch: string | null): Promise<object> =>
  retryOnConflict(context, async (context) => {
    const id = taskIdOf(taskId)
    const { workspace } = context.model
    await context.db.sql.begin(async (tx) => {
      const task = await findTask(tx, workspace.id, id, 'lock')
      if (task === undefined) throw taskNotFound(taskId)
      requireMatch(task, ifMatch)
      await deleteTaskRow(tx, workspace.id, id)
      await recordTaskEvent(tx, context, 'deleted', { id, at: context.now() })
    })
    return {}
  })

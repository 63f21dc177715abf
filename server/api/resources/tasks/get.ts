/** Reads a task. See docs/reference/tasks.md. */

import { runOnLookupPool } from '#db/lookup-pool'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { invalidRequest } from '#base/errors/http'
import { taskNotFound } from '#base/errors/tasks'
import { type AnsweredTask, answerTask } from './render'
import { findTask } from './store'

/** Throws 404. */
export const getTask = (context: ApiContext, taskId: string): Promise<AnsweredTask> =>
  retryOnConflict(context, async ({ model, db }) => {
    const id = taskIdOf(taskId)
    const task = await runOnLookupPool(db, (sql) => findTask(sql, model.workspace.id, id))
    if (task === undefined) throw taskNotFound(taskId)
    return answerTask(model, task)
  })

/** In lower case. Throws 400 when it is not a UUID. */
export function taskIdOf(text: string): string {
  if (!isUuid(text)) throw invalidRequest(`Task ID "${text}" is not a UUID.`)
  return text.toLowerCase()
}

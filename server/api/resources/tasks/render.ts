/** Renders tasks. See docs/reference/tasks.md (Members). */

import { getActor } from '#engine/attribute-types/actor-reference'
import { renderInstant } from '#engine/attribute-types/formats/instants'
import { slugOfEntityType } from '#engine/data-model/find'
import { visibleLinks } from '#engine/data-model/access/hidden'
import type { DataModel } from '#engine/data-model/model'
import { etagOf } from '#engine/entities/read/etag'
import type { TaskOutput } from './schemas'
import type { Task } from './task'

/** A task rendered, with the tag of its version for `If-Match`. */
export interface AnsweredTask {
  readonly data: TaskOutput
  readonly etag: string
}

export const answerTask = (model: DataModel, task: Task): AnsweredTask => ({
  data: renderTask(model, task),
  etag: etagOf(task.version),
})

/** Throws `ModelVersionConflict` for an object or an actor that is newer than the data model. */
export const renderTask = (model: DataModel, task: Task): TaskOutput => ({
  id: { workspace_id: model.workspace.id, task_id: task.id },
  content_plaintext: task.content,
  deadline_at: task.deadline_at === null ? null : renderInstant(task.deadline_at, task.deadline_ns),
  is_completed: task.completed_at !== null,
  completed_at: task.completed_at === null ? null : renderInstant(task.completed_at, null),
  linked_records: visibleLinks(model, task.links).map(({ objectId, recordId }) => ({
    target_object_id: slugOfEntityType(model, objectId),
    target_record_id: recordId,
  })),
  assignees: task.assignees.map((number) => {
    const { type, id } = getActor(model, number)
    return { referenced_actor_type: type, referenced_actor_id: id ?? '' } // a member has an id
  }),
  created_by_actor: getActor(model, task.created_by),
  created_at: renderInstant(task.created_at, null),
})

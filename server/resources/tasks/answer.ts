import type { DataModel } from '../../data-model/model'
import { etagOf } from '../../entities/read/etag'
import { renderTask } from './render'
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

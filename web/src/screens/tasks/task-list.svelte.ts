/** The tasks of a view. Changes are shown before the service confirms them, and the list follows those of other people. */

import { untrack } from 'svelte'
import { type ApiError, toApiError } from '../../api/errors'
import {
  createTask,
  deleteTask,
  idOfTask,
  listTasks,
  MAX_TASKS,
  type Task,
  type TaskChange,
  type TaskInput,
  updateTask,
} from '../../api/tasks/tasks'
import { followEvents } from '../../state/events/follow-events'
import { toasts } from '../../state/toasts.svelte'
import { compareIn, isInView, queryOf, type TaskView } from './task-order'

const PAGE = 100

export class TaskList {
  readonly view: TaskView
  error = $state.raw<ApiError | undefined>()
  hasMore = $state(false)
  isReadingMore = $state(false)
  #read = $state.raw<readonly Task[] | undefined>()
  /** Tasks that are being written, as they are shown meanwhile; null for those that are being deleted. */
  #writing = $state.raw<ReadonlyMap<string, Task | null>>(new Map())
  /** The number of tasks to read. */
  #count = PAGE
  #running = new AbortController()

  /** Undefined while the first page is loading. */
  readonly tasks: readonly Task[] | undefined = $derived.by(() => {
    const read = this.#read?.filter((task) => !this.#writing.has(idOfTask(task)))
    const written = [...this.#writing.values()].filter((task) => task !== null)
    return read && [...read, ...written].filter((task) => isInView(task, this.view)).toSorted(compareIn(this.view))
  })

  constructor(view: TaskView) {
    this.view = view
  }

  /** For use in an effect. */
  follow(): () => void {
    void untrack(() => this.read())
    const stop = followEvents(
      ({ event_type }) => event_type.startsWith('task.'),
      () => this.read(),
    )
    return () => {
      stop()
      this.#running.abort()
    }
  }

  find(id: string): Task | undefined {
    return this.tasks?.find((task) => idOfTask(task) === id)
  }

  /** Reads the tasks again, as many as are loaded. */
  async read(): Promise<void> {
    await this.#readFirst(Math.max(this.#count, this.#read?.length ?? 0))
  }

  async readMore(): Promise<void> {
    if (!this.hasMore || this.isReadingMore) return
    this.isReadingMore = true
    this.#count = (this.#read?.length ?? 0) + PAGE
    await this.#readFirst(this.#count)
    this.isReadingMore = false
  }

  async #readFirst(count: number): Promise<void> {
    this.#running.abort()
    const { signal } = (this.#running = new AbortController())
    try {
      const tasks: Task[] = []
      let isFull = true
      while (isFull && tasks.length < count) {
        const limit = Math.min(MAX_TASKS, count - tasks.length)
        const page = await listTasks({ ...queryOf(this.view), limit, offset: tasks.length }, signal)
        isFull = page.length === limit
        tasks.push(...page)
      }
      if (signal.aborted) return
      this.#read = tasks
      this.hasMore = isFull
      this.error = undefined
    } catch (error) {
      if (!signal.aborted) this.error = toApiError(error)
    }
  }

  /** Throws when the task is refused. */
  async create(input: TaskInput): Promise<Task> {
    const task = await createTask(input)
    this.#store(idOfTask(task), task)
    return task
  }

  /** A refused change is reverted, and its error is thrown. */
  async update(task: Task, change: TaskChange): Promise<void> {
    const { content = task.content_plaintext, ...rest } = change
    const completed_at = change.is_completed === true ? new Date().toISOString() : null
    const optimistic = {
      ...task,
      content_plaintext: content,
      ...(change.is_completed !== undefined && { completed_at }),
    }
    await this.#write(idOfTask(task), { ...optimistic, ...rest }, () => updateTask(idOfTask(task), change))
  }

  /** Completes a task or opens it again, and offers to undo that. */
  async setCompleted(task: Task, is_completed: boolean): Promise<void> {
    try {
      await this.update(task, { is_completed })
      const undo = () =>
        this.update(task, { is_completed: !is_completed }).catch((error: unknown) => toasts.fail(error))
      toasts.show(is_completed ? 'Task completed' : 'Task reopened', { label: 'Undo', act: undo })
    } catch (error) {
      toasts.fail(error)
    }
  }

  /** A refused deletion is reverted, and its error is thrown. */
  async delete(task: Task): Promise<void> {
    await this.#write(idOfTask(task), null, async () => {
      await deleteTask(idOfTask(task))
      return null
    })
  }

  async #write(id: string, optimistic: Task | null, write: () => Promise<Task | null>): Promise<void> {
    this.#writing = new Map([...this.#writing, [id, optimistic]])
    try {
      const written = await write()
      this.#store(id, written)
    } finally {
      // A later write of the same task replaced this one.
      if (this.#writing.get(id) === optimistic)
        this.#writing = new Map([...this.#writing].filter(([key]) => key !== id))
    }
  }

  /** A read that began before the write may lack it, so the list is read again. */
  #store(id: string, task: Task | null): void {
    const others = (this.#read ?? []).filter((one) => idOfTask(one) !== id)
    this.#read = task === null ? others : [...others, task]
    void this.read()
  }
}

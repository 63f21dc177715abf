/** A task as the service stores it. */

/** A record that a task is linked to. */
export interface TaskLink {
  readonly objectId: string
  readonly recordId: string
}

/** Timestamps are texts, as PostgreSQL prints them or as clients get them. */
export interface Task {
  readonly id: string
  readonly content: string
  readonly deadline_at: string | null
  /** The nanoseconds of the deadline below the microsecond. */
  readonly deadline_ns: number | null
  readonly completed_at: string | null
  /** The number of the actor. */
  readonly completed_by: number | null
  /** The numbers of the members' actors, each once. */
  readonly assignees: readonly number[]
  /** Each record once. */
  readonly links: readonly TaskLink[]
  readonly created_at: string
  /** The number of the actor. */
  readonly created_by: number
  readonly version: number
}

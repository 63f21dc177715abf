/** A job: the update or deletion of all records or entries that match a filter, or the undo of an import or of an update. See docs/reference/jobs.md; docs/decisions/jobs.md. */
import type { Micros } from '#base/timing/clock'
import type { ApiContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import type { EntityKind } from '#engine/entities/operations/definitions'
import type { BatchResult } from '#engine/entities/operations/run-batch'
import type { MultiselectWrite } from '#engine/storage/entity-change'
import { ACTIVITY_RECORD_SCOPES, includesScope, type Scope } from '#vocabulary/scopes'

/** The scopes that a job of each kind needs to write. Reading and cancelling it needs the same. */
export const JOB_SCOPES = {
  object: ['record_permission:read-write', 'object_configuration:read'],
  list: ['list_entry:read-write', 'list_configuration:read'],
  activity: ACTIVITY_RECORD_SCOPES.write,
} as const satisfies Record<EntityType['kind'], readonly Scope[]>

const KINDS = ['object', 'list', 'activity'] as const

/** The kinds of jobs that these scopes allow. */
export const jobKindsOf = (scopes: ReadonlySet<Scope>): EntityType['kind'][] =>
  KINDS.filter((kind) => JOB_SCOPES[kind].every((scope) => includesScope(scopes, scope)))

export type JobStatus = 'running' | 'completed' | 'failed' | 'cancelled'

/** Writes what matches the filter. */
export type BulkOperation =
  | { readonly op: 'update'; readonly values: Readonly<Record<string, unknown>>; readonly mode: MultiselectWrite }
  | { readonly op: 'delete' }

/**
 * Undoes an import, or a job that updated records, and has no filter. `started_at` is in microseconds: when the import began, or behind
 * the creation of the job. See docs/decisions/import-runs-and-undo.md.
 */
export type UndoOperation = { readonly started_at: Micros } & (
  { readonly op: 'undo_import'; readonly import_id: string } | { readonly op: 'undo_update'; readonly job_id: string }
)

export const isUndo = (operation: JobOperation): operation is UndoOperation =>
  operation.op === 'undo_import' || operation.op === 'undo_update'

export type JobOperation = BulkOperation | UndoOperation

/** What jobs write: the entities of objects, of lists, or of activities. */
export interface JobTarget {
  readonly entities: EntityKind
  /** How imports and updates are undone. Absent for lists and activities, into which nothing is imported. */
  readonly undo?: UndoTarget
}

export interface BatchPlace {
  readonly after: Position | null
  readonly limit: number
}

/** How the import or the update of an undo is read and undone. All functions throw `ApiError`. */
export interface UndoTarget {
  readNext(
    context: ApiContext,
    entityTypeId: string,
    operation: UndoOperation,
    place: BatchPlace,
  ): Promise<readonly Position[]>
  write(
    context: ApiContext,
    entityTypeId: string,
    operation: UndoOperation,
    ids: readonly string[],
  ): Promise<readonly BatchResult[]>
}

export interface JobKey {
  readonly workspaceId: string
  readonly id: string
}

/** Who created a job. It runs with the access that this caller has now. */
export interface JobCaller {
  readonly actor: number
  readonly memberId: string
  /** Undefined for a member at the console. */
  readonly clientId: string | undefined
  readonly scopes: ReadonlySet<Scope>
}

/** A place in the order of the entities: creation time, as PostgreSQL prints it, or the key of an undo; and id. */
export type Position = readonly [key: string, id: string]

/** A batch whose results are not counted yet. */
export interface ClaimedBatch {
  readonly count: number
  readonly last: Position
}

export interface JobError {
  readonly id: string
  /** The error body of a single request. */
  readonly error: object
}

export interface JobProgress {
  readonly done: number
  readonly failed: number
  /** How many an undo left alone because they were changed since. */
  readonly kept: number
  readonly errors: readonly JobError[]
  /** The last entity whose result is counted; null before the first one. */
  readonly position: Position | null
  readonly batch: ClaimedBatch | null
}

/** What does not change while a job runs. */
export interface JobPlan extends JobKey {
  readonly entityTypeId: string
  readonly kind: EntityType['kind']
  readonly caller: JobCaller
  /** Names attributes by their ids, like `operation`. */
  readonly filter: Readonly<Record<string, unknown>>
  /** Of the periods in the filter, which are relative to the creation. */
  readonly timeZone?: string | undefined
  readonly operation: JobOperation
  readonly createdAt: Micros
}

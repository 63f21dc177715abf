/** Writes of many records or entries: batches of named ones, and jobs over all that match a filter. */

import type { JobOutput } from '#api/jobs/schemas'
import type { EntityTypePath } from '../data-model/attributes'
import { api } from '../client'
import { TIME_ZONE } from '../../values/local-time'
import { entitiesPath, type Filter, type ValuesInput } from './entities'

/** A batch may have a thousand operations. Smaller ones show their progress. */
export const BATCH_SIZE = 100

export type Mode = 'append' | 'overwrite'

export type BulkOperation =
  { readonly op: 'delete' } | { readonly op: 'update'; readonly values: ValuesInput; readonly mode: Mode }

export type Job = JobOutput

type OneJob = { data: Job }

const valuesMember = ({ kind }: EntityTypePath) => (kind === 'lists' ? 'entry_values' : 'values')
const idMember = ({ kind }: EntityTypePath) => (kind === 'lists' ? 'entry_id' : 'record_id')

const operationOf = (entityType: EntityTypePath, operation: BulkOperation) =>
  operation.op === 'delete'
    ? operation
    : { op: operation.op, [valuesMember(entityType)]: operation.values, mode: operation.mode }

/** Creates a job over all that match the filter. */
export async function createJob(entityType: EntityTypePath, filter: Filter, operation: BulkOperation): Promise<Job> {
  const data = { filter, time_zone: TIME_ZONE, operation: operationOf(entityType, operation) }
  return (await api.post<OneJob>(`${entitiesPath(entityType)}/bulk`, { body: { data } })).data
}

/** The newest jobs of the member, of all objects, activities and lists. An admin gets those of all callers. */
export const listJobs = async (): Promise<readonly Job[]> => (await api.get<{ data: readonly Job[] }>('/jobs')).data

export const getJob = async (id: string): Promise<Job> => (await api.get<OneJob>(`/jobs/${id}`)).data
export const cancelJob = async (id: string): Promise<Job> => (await api.post<OneJob>(`/jobs/${id}/cancel`)).data

/** Creates the job that puts back the values that an update of records changed. */
export const undoJob = async (id: string): Promise<Job> => (await api.post<OneJob>(`/jobs/${id}/undo`)).data

interface Result {
  readonly status: number
  readonly error?: { readonly message: string; readonly status_code: number }
}

export interface BatchOutcome {
  readonly done: readonly string[]
  /** Why the others were refused. */
  readonly refusals: readonly string[]
}

/** Writes up to a thousand named records or entries. One that was deleted before counts as deleted. */
export async function writeBatch(
  entityType: EntityTypePath,
  ids: readonly string[],
  operation: BulkOperation,
  options: { readonly keepalive?: boolean } = {},
): Promise<BatchOutcome> {
  const one = operationOf(entityType, operation)
  const operations = ids.map((id) => ({ ...one, [idMember(entityType)]: id }))
  const results = await sendBatch(entityType, operations, options)
  const isDone = ({ error }: Result) => error === undefined || (operation.op === 'delete' && error.status_code === 404)
  return outcomeOf(ids, results, isDone)
}

/** Adds records to a list, unless they are in it. */
export async function addToList(list: string, object: string, ids: readonly string[]): Promise<BatchOutcome> {
  const operations = ids.map((id) => ({
    op: 'upsert',
    parent_object: object,
    parent_record_id: id,
    entry_values: {},
  }))
  const results = await sendBatch({ kind: 'lists', slug: list }, operations)
  return outcomeOf(ids, results, ({ error }) => error === undefined)
}

async function sendBatch(
  entityType: EntityTypePath,
  operations: readonly object[],
  options: { readonly keepalive?: boolean } = {},
): Promise<readonly Result[]> {
  const path = `${entitiesPath(entityType)}/batch`
  const body = { data: { operations } }
  const { data } = await api.post<{ data: { results: readonly Result[] } }>(path, {
    query: { return: 'ids' },
    body,
    ...options,
  })
  return data.results
}

const outcomeOf = (
  ids: readonly string[],
  results: readonly Result[],
  isDone: (result: Result) => boolean,
): BatchOutcome => ({
  done: ids.filter((_, at) => {
    const result = results[at]
    return result !== undefined && isDone(result)
  }),
  refusals: results.flatMap((result) => (isDone(result) || !result.error ? [] : [result.error.message])),
})

/** Creates and updates many records or entries in one request, of which some may be refused. */

import type { EntityTypePath, RecordTypePath } from '../data-model/attributes'
import { api } from '../client'
import { ApiError } from '../errors'
import { type Entity, entitiesPath, type EntityWire, toEntity, type ValuesInput } from './entities'

export interface EntityUpdate {
  readonly id: string
  /** Replaces the values of these attributes. */
  readonly values: ValuesInput
}

/** The entity after the write, or the reason why it was refused. */
export type WriteResult = { readonly entity: Entity } | { readonly error: ApiError }

/** The API takes as many operations. Fewer keep the time of a request short. */
const MAX_OPERATIONS = 500

interface ResultWire {
  readonly status: number
  readonly data?: EntityWire
  readonly error?: { readonly code: string; readonly message: string }
}

/** The results have the order of the updates. */
export const updateEntities = (entityType: EntityTypePath, updates: readonly EntityUpdate[]): Promise<WriteResult[]> =>
  runBatches(
    entityType,
    updates.map((update) => operationOf(entityType, update)),
  )

/** The results have the order of the records. */
export const createRecords = (type: RecordTypePath, records: readonly ValuesInput[]): Promise<WriteResult[]> =>
  runBatches(
    type,
    records.map((values) => ({ op: 'create', values })),
  )

async function runBatches(entityType: EntityTypePath, operations: readonly object[]): Promise<WriteResult[]> {
  const results: WriteResult[] = []
  for (let at = 0; at < operations.length; at += MAX_OPERATIONS) {
    const body = { data: { operations: operations.slice(at, at + MAX_OPERATIONS) } }
    const { data } = await api.post<{ data: { results: ResultWire[] } }>(`${entitiesPath(entityType)}/batch`, { body })
    results.push(...data.results.map(toResult))
  }
  return results
}

const operationOf = ({ kind }: EntityTypePath, { id, values }: EntityUpdate) =>
  kind === 'lists'
    ? { op: 'update', entry_id: id, entry_values: values, mode: 'overwrite' }
    : { op: 'update', record_id: id, values, mode: 'overwrite' }

function toResult({ status, data, error }: ResultWire): WriteResult {
  if (data) return { entity: toEntity(data) }
  return { error: new ApiError(status, error?.code ?? 'unknown', error?.message ?? 'The value was not saved.') }
}

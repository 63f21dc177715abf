/** Updates of many records or entries in one request, of which some may be refused. */

import type { EntityTypePath } from '../data-model/attributes'
import { api } from '../client'
import { ApiError } from '../errors'
import { type Entity, entitiesPath, type EntityWire, toEntity, type ValuesInput } from './entities'

export interface EntityUpdate {
  readonly id: string
  /** Replaces the values of these attributes. */
  readonly values: ValuesInput
}

/** The entity after the update, or the reason why it was refused. */
export type UpdateResult = { readonly entity: Entity } | { readonly error: ApiError }

/** The API takes as many operations. Fewer keep the time of a request short. */
const MAX_OPERATIONS = 500

interface ResultWire {
  readonly status: number
  readonly data?: EntityWire
  readonly error?: { readonly code: string; readonly message: string }
}

/** The results have the order of the updates. */
export async function updateEntities(
  entityType: EntityTypePath,
  updates: readonly EntityUpdate[],
): Promise<UpdateResult[]> {
  const results: UpdateResult[] = []
  for (let at = 0; at < updates.length; at += MAX_OPERATIONS) {
    const operations = updates.slice(at, at + MAX_OPERATIONS).map((update) => operationOf(entityType, update))
    const body = { data: { operations } }
    const { data } = await api.post<{ data: { results: ResultWire[] } }>(`${entitiesPath(entityType)}/batch`, { body })
    results.push(...data.results.map(toResult))
  }
  return results
}

const operationOf = ({ kind }: EntityTypePath, { id, values }: EntityUpdate) =>
  kind === 'lists'
    ? { op: 'update', entry_id: id, entry_values: values, mode: 'overwrite' }
    : { op: 'update', record_id: id, values, mode: 'overwrite' }

function toResult({ status, data, error }: ResultWire): UpdateResult {
  if (data) return { entity: toEntity(data) }
  return { error: new ApiError(status, error?.code ?? 'unknown', error?.message ?? 'The value was not saved.') }
}

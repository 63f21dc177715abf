/** Creates, updates, deletes and merges records and entries. */

import { api } from '../client'
import type { EntityTypePath, RecordTypePath } from '../data-model/attributes'
import { entitiesPath, type Entity, type EntityAnswer, entityPath, toEntity, type ValuesInput } from './entities'

export const createRecord = async (type: RecordTypePath, values: ValuesInput): Promise<Entity> =>
  toEntity((await api.post<EntityAnswer>(entitiesPath(type), { body: { data: { values } } })).data)

export async function createEntry(
  list: string,
  parent: { readonly object: string; readonly recordId: string },
  entry_values: ValuesInput,
): Promise<Entity> {
  const data = { parent_object: parent.object, parent_record_id: parent.recordId, entry_values }
  return toEntity((await api.post<EntityAnswer>(entitiesPath({ kind: 'lists', slug: list }), { body: { data } })).data)
}

/** Replaces the values of the attributes in `values`. */
export async function updateEntity(
  entityType: EntityTypePath,
  id: string,
  values: ValuesInput,
  ifMatch?: string,
): Promise<Entity> {
  const data = entityType.kind === 'lists' ? { entry_values: values } : { values }
  const options = ifMatch === undefined ? { body: { data } } : { body: { data }, ifMatch }
  return toEntity((await api.put<EntityAnswer>(entityPath(entityType, id), options)).data)
}

export const deleteEntity = (entityType: EntityTypePath, id: string): Promise<unknown> =>
  api.delete(entityPath(entityType, id))

/** Makes one new record of two and returns its id. Where both have a value, the new record has that of the primary one. */
export async function mergeRecords(
  object: string,
  { primaryId, secondaryId }: { readonly primaryId: string; readonly secondaryId: string },
): Promise<string> {
  const data = { primary_record_id: primaryId, secondary_record_id: secondaryId }
  const path = `${entitiesPath({ kind: 'objects', slug: object })}/merge`
  return (await api.post<{ data: { new_record_id: string } }>(path, { body: { data } })).data.new_record_id
}

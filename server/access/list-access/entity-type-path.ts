/**
 * Describes the two kinds of path that attributes and views have: below objects and below lists.
 * See docs/reference/access-and-oauth.md (Scopes).
 */

import { getObject, getWritableObject } from '#engine/data-model/find'
import type { DataModel, EntityType } from '#engine/data-model/model'
import type { Scope } from '#vocabulary/scopes'
import { getList, type ListCaller } from './list-access'

/** The differences between the two kinds of path. */
export interface EntityTypePath {
  readonly path: '/v2/objects/:object' | '/v2/lists/:list'
  /** The word in the names of operations. */
  readonly name: 'Object' | 'List'
  readonly read: readonly Scope[]
  readonly write: readonly Scope[]
  /** Returns the entity type of a path, to read or to change its configuration. */
  readonly find: (caller: ListCaller, params: EntityTypeParams, purpose: 'read' | 'change') => EntityType
}

export type EntityTypeParams = Readonly<Record<'object' | 'list', string>>

export const OBJECT_PATH: EntityTypePath = {
  path: '/v2/objects/:object',
  name: 'Object',
  read: ['object_configuration:read'],
  write: ['object_configuration:read-write'],
  find: ({ model }, params, purpose) =>
    purpose === 'read' ? getObject(model, params.object) : getWritableObject(model, params.object),
}

const LIST_PATH: EntityTypePath = {
  path: '/v2/lists/:list',
  name: 'List',
  read: ['list_configuration:read'],
  write: ['list_configuration:read-write'],
  find: (caller, params, purpose) => getList(caller, params.list, purpose === 'read' ? 'read-only' : 'full-access'),
}

export const ENTITY_TYPE_PATHS: readonly EntityTypePath[] = [OBJECT_PATH, LIST_PATH]

/** Finds the entity type of a request in a given data model. */
export type FindEntityType = (model: DataModel) => EntityType

export const finderForReading =
  (find: EntityTypePath['find'], caller: ListCaller, params: EntityTypeParams): FindEntityType =>
  (model) =>
    find(inModel(caller, model), params, 'read')

/** The finder throws 403 when the caller does not have full access to the list. */
export const finderForChange =
  (find: EntityTypePath['find'], caller: ListCaller, params: EntityTypeParams): FindEntityType =>
  (model) =>
    find(inModel(caller, model), params, 'change')

const inModel = ({ actor, memberId, scopes }: ListCaller, model: DataModel): ListCaller => ({
  model,
  actor,
  memberId,
  scopes,
})

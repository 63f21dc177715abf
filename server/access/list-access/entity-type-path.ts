/**
 * Describes the kinds of path that attributes and views have: below objects, below lists and below activities.
 * See docs/reference/access-and-oauth.md (Scopes).
 */

import { getActivity, getObject, getWritableObject } from '#engine/data-model/find'
import type { DataModel, EntityType } from '#engine/data-model/model'
import type { Scope } from '#vocabulary/scopes'
import { getList, type ListCaller } from './list-access'

/** The differences between the kinds of path. */
export interface EntityTypePath {
  readonly path: '/v2/objects/:object' | '/v2/lists/:list' | '/v2/activities/:activity'
  /** The word in the names of operations. */
  readonly name: 'Object' | 'List' | 'Activity'
  /** What texts call the entity type. */
  readonly noun: string
  readonly read: readonly Scope[]
  readonly write: readonly Scope[]
  /** The scopes of an older contract, which are valid for attributes as well: those of objects also for lists. */
  readonly older: { readonly read: readonly Scope[]; readonly write: readonly Scope[] }
  /** Returns the entity type of a path, to read or to change its configuration. */
  readonly find: (caller: ListCaller, params: EntityTypeParams, purpose: 'read' | 'change') => EntityType
}

export type EntityTypeParams = Readonly<Record<EntityType['kind'], string>>

const scopesOf = (area: 'object_configuration' | 'list_configuration' | 'activity_configuration') => ({
  read: [`${area}:read`] as const,
  write: [`${area}:read-write`] as const,
})

const OBJECT_SCOPES = scopesOf('object_configuration')

const OBJECT_PATH: EntityTypePath = {
  path: '/v2/objects/:object',
  name: 'Object',
  noun: 'an object',
  ...OBJECT_SCOPES,
  older: OBJECT_SCOPES,
  find: ({ model }, params, purpose) =>
    purpose === 'read' ? getObject(model, params.object) : getWritableObject(model, params.object),
}

const LIST_PATH: EntityTypePath = {
  path: '/v2/lists/:list',
  name: 'List',
  noun: 'a list',
  ...scopesOf('list_configuration'),
  older: OBJECT_SCOPES,
  find: (caller, params, purpose) => getList(caller, params.list, purpose === 'read' ? 'read-only' : 'full-access'),
}

const ACTIVITY_SCOPES = scopesOf('activity_configuration')

const ACTIVITY_PATH: EntityTypePath = {
  path: '/v2/activities/:activity',
  name: 'Activity',
  noun: 'an activity',
  ...ACTIVITY_SCOPES,
  older: ACTIVITY_SCOPES,
  find: ({ model }, params) => getActivity(model, params.activity),
}

export const ENTITY_TYPE_PATHS: readonly EntityTypePath[] = [OBJECT_PATH, LIST_PATH, ACTIVITY_PATH]

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

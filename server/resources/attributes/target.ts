/** Attributes hang below objects and below lists; here the two become one. Spec: auth 2. */

import { getAttribute, getList, getObject, isListed } from '../../data-model/find'
import type { Attribute, DataModel, Owner } from '../../data-model/model'
import { attributeNotFound, systemEdit } from '../../errors'
import type { PathParams } from '../../http/route'
import type { Scope } from '../../scopes'

/** The two kinds of path, with what stands where they differ. */
export interface Target {
  readonly path: '/v2/objects/:object' | '/v2/lists/:list'
  /** In the names of operations. */
  readonly name: 'Object' | 'List'
  readonly read: readonly Scope[]
  readonly write: readonly Scope[]
  readonly owner: (model: DataModel, params: PathParams) => Owner
}

export const TARGETS: readonly Target[] = [
  {
    path: '/v2/objects/:object',
    name: 'Object',
    read: ['object_configuration:read'],
    write: ['object_configuration:read-write'],
    owner: (model, params) => getObject(model, params.object),
  },
  {
    path: '/v2/lists/:list',
    name: 'List',
    read: ['list_configuration:read'],
    write: ['list_configuration:read-write'],
    owner: (model, params) => getList(model, params.list),
  },
]

/** Which owner a request names, in whatever model is the newest when it is asked. */
export type FindOwner = (model: DataModel) => Owner

/** An attribute a client may know of, archived or not. Throws 404. */
export function getListed(model: DataModel, owner: Owner, slugOrId: string): Attribute {
  const attribute = getAttribute(owner, slugOrId)
  if (!isListed(model, attribute)) throw attributeNotFound(slugOrId)
  return attribute
}

/** An attribute that clients may change. Spec: standard-objects 1. */
export function getEditable(model: DataModel, owner: Owner, slugOrId: string): Attribute {
  const attribute = getListed(model, owner, slugOrId)
  if (attribute.is_system_attribute) throw systemEdit()
  return attribute
}

/** An attribute as it has become; it may have another slug than before. */
export function getById(model: DataModel, id: string): Attribute {
  const attribute = model.attributesById.get(id)
  if (!attribute) throw attributeNotFound(id)
  return attribute
}

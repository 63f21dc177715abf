/** A new list, with the attributes every list has and a table for its entries. Spec: resources 5, standard-objects 10. */

import type { Call } from '../../call'
import { allocateNumbers, changeModel, type ModelChange } from '../../data-model/change-model'
import { getObject } from '../../data-model/find'
import type { ListOwner } from '../../data-model/model'
import { qualifiedTable } from '../../data-model/names'
import { appendEvents, originOf } from '../../events/outbox'
import { newId } from '../../ids'
import { timestampFromMicros } from '../../timing/clock'
import { insertList, targetOf } from '../../workspaces/insert-entity-types'
import { newAttribute } from '../../workspaces/build-attribute'
import { CREATION, entryAttributes } from '../../workspaces/system-attributes'
import { auditList } from './audit'
import { getById } from './get'
import { renderList } from './render'
import { inLowerCase, refuseAccess, refuseTakenSlug } from './rules'
import type { ListInput, ListOutput } from './schemas'

/** The creator gets no more access than anybody else. Throws 404 for the parent, 400 for the access, 409 for the slug. */
export async function createList(call: Call, input: ListInput): Promise<ListOutput> {
  const created_at = timestampFromMicros(call.now())
  const { changed: id, model } = await changeModel(call, async (step) => {
    const list = await newList(step, input, { created_at, created_by: call.actor })
    await insertList(targetOf(step), list)
    await auditList(call, step, 'created', list)
    await appendEvents(step.tx, originOf(call), [{ event_type: 'list.created', id: { list_id: list.id } }])
    return list.id
  })
  return renderList(model, getById(model, id))
}

async function newList(
  { tx, model }: ModelChange,
  input: ListInput,
  created: Pick<ListOwner, 'created_at' | 'created_by'>,
): Promise<ListOwner> {
  const workspace_member_access = inLowerCase(input)
  refuseAccess(model, { ...input, workspace_member_access })
  const parent = getObject(model, input.parent_object)
  refuseTakenSlug(model, input.api_slug)
  const specs = [...entryAttributes(parent.id), ...CREATION]
  const number = await allocateNumbers(tx, model.workspace.id, 1 + specs.length)
  const id = newId()
  const { created_at } = created
  return {
    id,
    number,
    kind: 'list',
    api_slug: input.api_slug,
    name: input.name,
    parent_object_id: parent.id,
    workspace_access: input.workspace_access,
    workspace_member_access,
    table: qualifiedTable(model.workspace.number, { kind: 'list', number }),
    attributes: specs.map((spec, index) =>
      newAttribute(spec, { owner_id: id, number: number + 1 + index, created_at }),
    ),
    ...created,
  }
}

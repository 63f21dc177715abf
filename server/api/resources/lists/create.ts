/**
 * Creates a list with the attributes that every list has, and with the table of its entries.
 * See docs/reference/lists-and-entries.md (Lists, Attributes of lists).
 */

import { auditList } from '#access/list-access/audit-list'
import type { RequestContext } from '#context'
import { allocateNumbers, changeModel, type ModelChange } from '#engine/data-model/change-model'
import { getObject } from '#engine/data-model/find'
import type { ListType } from '#engine/data-model/model'
import { qualifiedTableName } from '#engine/data-model/names'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import { insertList, insertTargetOf } from '#engine/workspaces/insert-entity-types'
import { buildAttribute } from '#engine/workspaces/build-attribute'
import { CREATION_ATTRIBUTES, entrySystemAttributes } from '#engine/workspaces/system-attributes'
import { getById } from './get'
import { renderList } from './render'
import { withLowerCaseIds, refuseAccess, refuseTakenSlug } from './rules'
import type { ListInput, ListOutput } from './schemas'

/** Creating a list gives the creator no access to it. Throws 404 for the parent object, 400 for the access, 409 for the slug. */
export async function createList(context: RequestContext, input: ListInput): Promise<ListOutput> {
  const created_at = timestampFromMicros(context.now())
  const { changed: id, model } = await changeModel(context, async (step) => {
    const list = await newList(step, input, { created_at, created_by: context.actor })
    await insertList(insertTargetOf(step), list)
    await auditList(context, step, 'created', list)
    await appendToOutbox(step.tx, eventOriginOf(context), [{ event_type: 'list.created', id: { list_id: list.id } }])
    return list.id
  })
  return renderList(model, getById(model, id))
}

async function newList(
  { tx, model }: ModelChange,
  input: ListInput,
  created: Pick<ListType, 'created_at' | 'created_by'>,
): Promise<ListType> {
  const workspace_member_access = withLowerCaseIds(input)
  refuseAccess(model, { ...input, workspace_member_access })
  const parent = getObject(model, input.parent_object)
  refuseTakenSlug(model, input.api_slug)
  const specs = [...entrySystemAttributes(parent.id), ...CREATION_ATTRIBUTES]
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
    table: qualifiedTableName(model.workspace.number, { kind: 'list', number }),
    attributes: specs.map((spec, index) =>
      buildAttribute(spec, { entity_type_id: id, number: number + 1 + index, created_at }),
    ),
    ...created,
  }
}

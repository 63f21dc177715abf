/**
 * Changes the names of a list and the access to it. Its parent object cannot change.
 * See docs/reference/lists-and-entries.md (Lists).
 */

import { auditAccess, hasOtherAccess } from '#access/list-access/audit-list'
import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { changeModel } from '#engine/data-model/change-model'
import { findObject } from '#engine/data-model/find'
import type { DataModel, ListType } from '#engine/data-model/model'
import { emptyPayload } from '#base/errors/http'
import { immutableMember } from '#base/errors/lists'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { getById } from './get'
import { renderList } from './render'
import { withLowerCaseIds, refuseAccess, refuseTakenSlug } from './rules'
import { ListChange, type ListOutput } from './schemas'
import { saveList } from './store'

/** Each access member of the request replaces the present one. */
export async function updateList(context: RequestContext, slugOrId: string, input: ListChange): Promise<ListOutput> {
  if (isEmpty(input)) throw emptyPayload()
  const { changed: id, model } = await changeModel(context, async (step) => {
    const list = getList({ ...context, model: step.model }, slugOrId, 'full-access')
    refuseOtherParent(step.model, list, input.parent_object)
    const next = changed(list, input)
    refuseAccess(step.model, next)
    refuseTakenSlug(step.model, next.api_slug, list)
    await saveList(step, next)
    if (hasOtherAccess(list, next)) await auditAccess(context, step, list, next)
    const updated = { event_type: 'list.updated', id: { list_id: list.id } } as const
    if (!Bun.deepEquals(list, next)) await appendToOutbox(step.tx, eventOriginOf(context), [updated])
    return list.id
  })
  return renderList(model, getById(model, id))
}

const MEMBERS = Object.keys(ListChange.properties) as (keyof ListChange)[] // the schema has exactly the members of the type

const isEmpty = (input: ListChange): boolean => MEMBERS.every((member) => input[member] === undefined)

function refuseOtherParent(model: DataModel, list: ListType, wanted: ListChange['parent_object']): void {
  if (wanted === undefined) return
  const ids = [wanted].flat().map((slugOrId) => findObject(model, slugOrId)?.id)
  if (ids.length !== 1 || ids[0] !== list.parent_object_id) throw immutableMember('parent_object')
}

function changed(list: ListType, { name, api_slug, workspace_access, workspace_member_access }: ListChange): ListType {
  return {
    ...list,
    name: name ?? list.name,
    api_slug: api_slug ?? list.api_slug,
    workspace_access: workspace_access === undefined ? list.workspace_access : workspace_access,
    workspace_member_access:
      workspace_member_access === undefined
        ? list.workspace_member_access
        : withLowerCaseIds({ workspace_member_access }),
  }
}

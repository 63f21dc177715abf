/** Reads, creates, changes and deletes lists, and checks their slugs and access. See docs/reference/lists-and-entries.md (Lists). */
import { auditAccess, auditList, getList, hasOtherAccess, visibleLists } from '#access/list-access/list-access'
import { immutableMember, listNotFound, slugConflict } from '#base/errors/attributes'
import { emptyPayload, invalidBody } from '#base/errors/http'
import { unknownMember } from '#base/errors/records'
import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import type { RequestContext } from '#context'
import { allocateNumbers, blockEntityWrites, changeModel, type ModelChange } from '#engine/data-model/change-model'
import { findList, findObject, getObject } from '#engine/data-model/find'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { type DataModel, type ListType, ModelVersionConflict } from '#engine/data-model/model'
import { qualifiedTableName } from '#engine/data-model/names'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { refuseReadType } from '#engine/rollups/refuse-named'
import { buildAttribute } from '#engine/workspaces/build-attribute'
import { saveSlug } from '#engine/workspaces/deleted-entity-types'
import { dropEntityType, insertList, insertListMembers, insertTargetOf } from '#engine/workspaces/write-entity-types'
import { CREATION_ATTRIBUTES, entrySystemAttributes } from '#engine/workspaces/standard-objects'
import { ListChange, type ListInput, type ListOutput } from './schemas'

/** Returns the lists in the order of their creation. */
export const listLists = (context: RequestContext): ListOutput[] =>
  visibleLists(context).map((list) => renderList(context.model, list))

export const readList = (context: RequestContext, slugOrId: string): ListOutput =>
  renderList(context.model, getList(context, slugOrId, 'read-only'))

/** Returns a list after a change, also when the caller cannot see it any more. */
function getListById(model: DataModel, id: string): ListType {
  const list = findList(model, id)
  if (!list) throw listNotFound(id)
  return list
}

/** Renders a list. See docs/reference/lists-and-entries.md (Lists). */
const renderList = (model: DataModel, list: ListType): ListOutput => ({
  id: { workspace_id: model.workspace.id, list_id: list.id },
  api_slug: list.api_slug,
  name: list.name,
  parent_object: list.parentObjects.map(({ id }) => parentSlug(model, list, id)),
  workspace_access: list.workspace_access,
  workspace_member_access: list.workspace_member_access.map((access) => ({ ...access })),
  created_by_actor: creatorOf(model, list),
  created_at: list.created_at,
})

function parentSlug(model: DataModel, list: ListType, id: string): string {
  const parent = model.entityTypesById.get(id)
  if (!parent) throw new ModelVersionConflict(`The parent of list ${list.id} is not known.`)
  return parent.api_slug
}

function creatorOf(model: DataModel, list: ListType): ListOutput['created_by_actor'] {
  const actor = model.actors.get(list.created_by)
  if (!actor) throw new ModelVersionConflict(`Actor ${list.created_by} is not known.`)
  return { type: actor.type, id: actor.id }
}

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
  return renderList(model, getListById(model, id))
}

async function newList(
  { tx, model }: ModelChange,
  input: ListInput,
  created: Pick<ListType, 'created_at' | 'created_by'>,
): Promise<ListType> {
  const workspace_member_access = withLowerCaseIds(input)
  refuseAccess(model, { ...input, workspace_member_access })
  const parents = [...new Set([input.parent_object].flat().map((slugOrId) => getObject(model, slugOrId)))]
  refuseTakenSlug(model, input.api_slug)
  const specs = [...entrySystemAttributes(parents.map(({ id }) => id)), ...CREATION_ATTRIBUTES]
  const number = await allocateNumbers(tx, model.workspace.id, 1 + specs.length)
  const id = newId()
  const { created_at } = created
  return {
    id,
    number,
    kind: 'list',
    api_slug: input.api_slug,
    name: input.name,
    parentObjects: parents.map(({ id, number }) => ({ id, number })),
    workspace_access: input.workspace_access,
    workspace_member_access,
    table: qualifiedTableName(model.workspace.number, { kind: 'list', number }),
    attributes: specs.map((spec, index) =>
      buildAttribute(spec, { entity_type_id: id, number: number + 1 + index, created_at }),
    ),
    ...created,
  }
}

// Changes the names of a list and the access to it. Its parent object cannot change.
// See docs/reference/lists-and-entries.md (Lists).

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
  return renderList(model, getListById(model, id))
}

const MEMBERS = Object.keys(ListChange.properties) as (keyof ListChange)[] // the schema has exactly the members of the type

const isEmpty = (input: ListChange): boolean => MEMBERS.every((member) => input[member] === undefined)

function refuseOtherParent(model: DataModel, list: ListType, wanted: ListChange['parent_object']): void {
  if (wanted === undefined) return
  const ids = new Set([wanted].flat().map((slugOrId) => findObject(model, slugOrId)?.id))
  const own = list.parentObjects
  if (ids.size !== own.length || !own.every(({ id }) => ids.has(id))) throw immutableMember('parent_object')
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

/**
 * Deletes a list with its entries, attributes and views, and not the records. Deletion cannot be undone.
 * See docs/reference/lists-and-entries.md (Lists).
 */
export async function deleteList(context: RequestContext, slugOrId: string): Promise<void> {
  await changeModel(context, async (step) => {
    const list = getList({ ...context, model: step.model }, slugOrId, 'full-access')
    refuseReadType(step.model, list)
    await blockEntityWrites(step.tx, list)
    await dropEntityType(step, list)
    await auditList(context, step, 'deleted', list)
    await appendToOutbox(step.tx, eventOriginOf(context), [{ event_type: 'list.deleted', id: { list_id: list.id } }])
  })
}

/**
 * The rules for the slugs of lists and for access to them. See docs/reference/lists-and-entries.md (Lists).
 */
type Access = Pick<ListType, 'workspace_access' | 'workspace_member_access'>

/** Refuses access that leaves a list without a member with full access, unknown members, and members named twice. */
function refuseAccess(model: DataModel, access: Access): void {
  const { workspace_access, workspace_member_access } = access
  const levels = [workspace_access, ...workspace_member_access.map(({ level }) => level)]
  if (!levels.includes('full-access')) {
    throw refused('Give full-access to the workspace or to at least one member')
  }
  const seen = new Set<string>()
  for (const { workspace_member_id: id } of workspace_member_access) {
    if (!model.membersById.has(id)) throw unknownMember(id)
    if (seen.has(id)) throw refused(`Member "${id}" is named twice`)
    seen.add(id)
  }
}

/** Returns the access with ids in lower case, as they are stored. */
const withLowerCaseIds = ({ workspace_member_access }: Pick<Access, 'workspace_member_access'>) =>
  workspace_member_access.map(({ workspace_member_id, level }) => ({
    workspace_member_id: workspace_member_id.toLowerCase(),
    level,
  }))

/** Refuses the slug of another list, also of one that the caller cannot see, because slugs name lists in URLs. See docs/decisions/event-access.md. */
function refuseTakenSlug(model: DataModel, api_slug: string, self?: ListType): void {
  const taken = model.entityTypes.some(
    (other) => other.kind === 'list' && other.api_slug === api_slug && other.id !== self?.id,
  )
  if (taken) throw slugConflict('list', api_slug)
}

const refused = (message: string) =>
  invalidBody([{ code: 'invalid', path: ['data', 'workspace_member_access'], message }])

// The rows of lists.

/** Updates all columns of a list that can change. */
async function saveList(step: ModelChange, list: ListType): Promise<void> {
  const { control, model } = step
  const { id, name, api_slug, workspace_access } = list
  await saveSlug(step, id, api_slug)
  await control
    .updateTable('relata.lists')
    .set({ name, workspace_access })
    .where(equal({ workspace_id: model.workspace.id, id }))
    .execute()
  await control
    .deleteFrom('relata.list_members')
    .where(equal({ workspace_id: model.workspace.id, list_id: id }))
    .execute()
  await insertListMembers(insertTargetOf(step), list)
}

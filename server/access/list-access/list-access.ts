/** Decides the access of a caller to a list. For a list that is not visible, the response is that of an unknown list. See docs/reference/lists-and-entries.md (Access to lists). */

import type { RequestContext } from '#context'
import { findList, listTypes } from '#engine/data-model/find'
import { closestSlug, isHidden, isHiddenEvent, namesHiddenFromMember } from '#engine/data-model/access/hidden'
import type { DataModel, ListType } from '#engine/data-model/model'
import { ACCESS_LEVELS, type AccessLevel } from '#vocabulary/data-model'
import { accessLevelOn, type Viewer } from '#engine/data-model/viewer'
import { listAccessTooLow, listNotFound } from '#base/errors/attributes'
import { type EventSubject, isVisible, visibleEvents, type VisibleEvents } from '#events/feed/visibility'
import { audit } from '#access/audit-log/audit'
import type { ModelChange } from '#engine/data-model/change-model'

/** The part of the request context that decides about access. */
export type ListCaller = Pick<RequestContext, 'model' | 'actor' | 'memberId' | 'scopes'>

function viewerOf({ model, actor, memberId, scopes }: ListCaller): Viewer {
  return {
    // An actor that this model does not contain yet belongs to a new API key, or has the rights of one.
    kind: model.actors.get(actor)?.type ?? 'api-token',
    memberId,
    isAdmin: model.membersById.get(memberId ?? '')?.access_level === 'admin',
    scopes,
  }
}

/** Returns undefined when the list is not visible. */
export const listAccess = (context: ListCaller, list: ListType): AccessLevel | undefined =>
  isHidden(context.model, list) ? undefined : accessLevelOn(viewerOf(context), list)

/** Returns the lists in the order of their creation. */
export const visibleLists = (context: ListCaller): ListType[] =>
  listTypes(context.model).filter((list) => listAccess(context, list) !== undefined)

/** Returns the list with this slug or id. Throws 404, and 403 when the access is below `level`. */
export function getList(context: ListCaller, slugOrId: string, level: AccessLevel): ListType {
  const list = findList(context.model, slugOrId)
  const access = list && listAccess(context, list)
  if (!access) throw listNotFound(slugOrId, closestSlug(slugOrId, visibleLists(context)))
  if (rankOf(access) < rankOf(level)) throw listAccessTooLow(list.api_slug, access, level)
  return list
}

const rankOf = (level: AccessLevel): number => ACCESS_LEVELS.indexOf(level)

// Decides which change events a caller may see. See docs/decisions/event-access.md.

/** Whether the caller, or another viewer of the workspace, may see events of a subject. */
export function maySee(context: ListCaller, subject: EventSubject, viewer: Viewer = viewerOf(context)): boolean {
  return isVisible(viewer, subject, (listId) => {
    const entityType = context.model.entityTypesById.get(listId)
    return entityType?.kind === 'list' ? entityType : undefined
  })
}

/** Whether the caller may see an event whose JSON text, or a text with it, is stored. */
export const maySeeText = (context: ListCaller, subject: EventSubject, text: string): boolean =>
  !isHiddenEvent(context.model, text) && maySee(context, subject)

export const visibleEventsOf = (context: ListCaller): VisibleEvents => eventsVisibleTo(viewerOf(context), context.model)

/** `model` is that of the viewer. */
export const eventsVisibleTo = (viewer: Viewer, model: DataModel): VisibleEvents =>
  visibleEvents(viewer, listTypes(model), namesHiddenFromMember(model))

/** Writes changes of the access to a list to the audit log, also its creation and deletion. */
const accessOf = ({ workspace_access, workspace_member_access }: ListType) => ({
  workspace_access,
  workspace_member_access,
})

export const hasOtherAccess = (before: ListType, after: ListType): boolean =>
  JSON.stringify(accessOf(before)) !== JSON.stringify(accessOf(after))

/** Writes the creation or restoration of a list with its first settings, or its deletion with its last settings. */
export const auditList = (
  context: RequestContext,
  step: ModelChange,
  what: 'created' | 'deleted' | 'restored',
  list: ListType,
): Promise<void> => append(context, step, what, list, accessOf(list))

export const auditAccess = (
  context: RequestContext,
  step: ModelChange,
  before: ListType,
  after: ListType,
): Promise<void> => append(context, step, 'access-changed', after, { before: accessOf(before), after: accessOf(after) })

async function append(
  context: RequestContext,
  step: ModelChange,
  what: string,
  { id, name }: ListType,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await audit(step.tx, {
    actor: step.model.actors.get(context.actor) ?? null,
    workspaceId: step.model.workspace.id,
    action: `list.${what}`,
    subject: { type: 'list', id, name },
    details,
    now: context.now(),
  })
}

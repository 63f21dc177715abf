/** Decides the access of a caller to a list. For a list that is not visible, the response is that of an unknown list. See docs/reference/lists-and-entries.md (Access to lists). */

import type { RequestContext } from '#context'
import { findList, listTypes } from '#engine/data-model/find'
import { closestSlug, hiddenNames, isHidden, namesHidden } from '#engine/data-model/access/hidden'
import { ACCESS_LEVELS, type AccessLevel, type DataModel, type ListType } from '#engine/data-model/model'
import { accessLevelOn, type Viewer } from '#engine/data-model/viewer'
import { listAccessTooLow, listNotFound } from '#base/errors/attributes'
import { type EventSubject, isVisible, visibleEvents, type VisibleEvents } from '#events/feed/visibility'

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
  !namesHidden(context.model, text) && maySee(context, subject)

export const visibleEventsOf = (context: ListCaller): VisibleEvents => eventsVisibleTo(viewerOf(context), context.model)

/** `model` is that of the viewer. */
export const eventsVisibleTo = (viewer: Viewer, model: DataModel): VisibleEvents =>
  visibleEvents(viewer, listTypes(model), hiddenNames(model))

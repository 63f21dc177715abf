/** Decides which change events a caller may see. Decision 0072. */

import { listTypes } from '#engine/data-model/find'
import { hiddenNames, namesHidden } from '#engine/data-model/access/hidden'
import type { DataModel } from '#engine/data-model/model'
import type { Viewer } from '#engine/data-model/viewer'
import { isVisible, visibleEvents, type EventSubject, type VisibleEvents } from '#events/feed/visibility'
import { viewerOf, type ListCaller } from './list-access'

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

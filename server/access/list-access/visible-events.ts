/** Decides which change events a caller may see. Decision 0072. */

import { listTypes } from '../../data-model/find'
import type { Viewer } from '../../data-model/viewer'
import { isVisible, visibleEvents, type EventSubject, type VisibleEvents } from '../../events/visibility'
import { viewerOf, type ListCaller } from './list-access'

/** Whether the caller, or another viewer of the workspace, may see events of a subject. */
export function maySee(context: ListCaller, subject: EventSubject, viewer: Viewer = viewerOf(context)): boolean {
  return isVisible(viewer, subject, (listId) => {
    const entityType = context.model.entityTypesById.get(listId)
    return entityType?.kind === 'list' ? entityType : undefined
  })
}

export const visibleEventsOf = (context: ListCaller): VisibleEvents =>
  visibleEvents(viewerOf(context), listTypes(context.model))

/** Which change events a call may see. Decision 0072. */

import type { Viewer } from '../data-model/viewer'
import { isVisible, visibleEvents, type EventSubject, type VisibleEvents } from '../events/visibility'
import { isList, viewerOf, type ListCaller } from './list-access'

/** Whether the call, or another viewer of its workspace, may see it. */
export function maySee(call: ListCaller, subject: EventSubject, viewer: Viewer = viewerOf(call)): boolean {
  return isVisible(viewer, subject, (listId) => {
    const owner = call.model.ownersById.get(listId)
    return owner?.kind === 'list' ? owner : undefined
  })
}

export const visibleEventsOf = (call: ListCaller): VisibleEvents =>
  visibleEvents(viewerOf(call), call.model.owners.filter(isList))

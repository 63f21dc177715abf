/** Finds the change event in a request. The event decides who may read the request. Decision 0072. */

import type { Database } from '#db/connect'
import { type ChangeEventBody, isEventType } from '#vocabulary/event-types'
import { listIdOf } from '#events/feed/visibility'
import type { TestRequest } from './schemas'
import { hasList, type EndpointRow, type RequestSubject } from './store'

const NO_EVENT: RequestSubject = { event_type: null, list_id: null }

/**
 * The sender of an unsigned request is unknown, so its event counts only when it names a list of the workspace. The webhook
 * of such a request may have been deleted after the request was sent.
 */
export async function subjectOfRequest(
  db: Database,
  { workspace_id }: EndpointRow,
  text: string,
  signature: TestRequest['signature'],
): Promise<RequestSubject> {
  const event = eventIn(text)
  if (event === undefined) return NO_EVENT
  const list_id = listIdOf(event)
  if (signature === 'valid') return { event_type: event.event_type, list_id }
  const isListOfWorkspace = list_id !== null && (await hasList(db, workspace_id, list_id))
  return isListOfWorkspace ? { event_type: event.event_type, list_id } : NO_EVENT
}

/** Reads only the event's type and the list that it names. */
function eventIn(text: string): ChangeEventBody | undefined {
  const message = parse(text) as { events?: unknown } | null
  const event: unknown = Array.isArray(message?.events) ? message.events[0] : undefined
  if (typeof event !== 'object' || event === null || !('event_type' in event)) return undefined
  if (typeof event.event_type !== 'string' || !isEventType(event.event_type)) return undefined
  const id = 'id' in event && typeof event.id === 'object' && event.id !== null ? event.id : {}
  const list_id = 'list_id' in id ? id.list_id : 'list_id' in event ? event.list_id : null
  const listId = typeof list_id === 'string' ? list_id.replaceAll('\u0000', '') : null
  return { event_type: event.event_type, id: {}, list_id: listId, actor: { type: 'system', id: null } }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

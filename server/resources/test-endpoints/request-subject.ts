/** Which event came with a request: it decides who may read the request. Decision 0072. */

import type { Database } from '../../../db/connect'
import { type ChangeEventBody, isEventType } from '../../events/event-types'
import { listIdOf } from '../../events/visibility'
import type { TestRequest } from './schemas'
import { hasList, type EndpointRow, type RequestSubject } from './store'

const NONE: RequestSubject = { event_type: null, list_id: null }

/**
 * Of a message that no webhook signed, which may have been written by hand, only what names a list of the workspace
 * counts: its webhook may have been deleted while the message was on its way.
 */
export async function subjectOfRequest(
  db: Database,
  { workspace_id }: EndpointRow,
  text: string,
  signature: TestRequest['signature'],
): Promise<RequestSubject> {
  const event = eventIn(text)
  if (event === undefined) return NONE
  const list_id = listIdOf(event)
  if (signature === 'valid') return { event_type: event.event_type, list_id }
  const isOurs = list_id !== null && (await hasList(db, workspace_id, list_id))
  return isOurs ? { event_type: event.event_type, list_id } : NONE
}

/** As far as it is one: only its type and a list are read. */
function eventIn(text: string): ChangeEventBody | undefined {
  const message = parse(text) as { events?: unknown } | null
  const event: unknown = Array.isArray(message?.events) ? message.events[0] : undefined
  if (typeof event !== 'object' || event === null || !('event_type' in event)) return undefined
  if (typeof event.event_type !== 'string' || !isEventType(event.event_type)) return undefined
  const id = 'id' in event && typeof event.id === 'object' && event.id !== null ? event.id : {}
  const list_id = 'list_id' in id ? id.list_id : 'list_id' in event ? event.list_id : null
  const named = typeof list_id === 'string' ? list_id.replaceAll('\u0000', '') : null
  return { event_type: event.event_type, id: {}, list_id: named, actor: { type: 'system', id: null } }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

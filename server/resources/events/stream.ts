/** The feed as it grows. */

import type { ApiContext } from '../../context'
import type { EventType } from '../../events/event-types'
import { createAlarm, EventStream, type Renew, type StreamMessage } from '../../http/response/event-stream'
import { cursorOf, type Place } from './cursor'
import { maySeeEvent, parseTypes, placeFor, readPage, renderEvent } from './read'
import type { StreamQuery } from './schemas'
import { type EventRow, isNewest } from './store'

const AT_ONCE = 200

/** From `Last-Event-ID`, else from the cursor, else from now on. Throws as the feed does. */
export async function streamEvents(
  context: ApiContext,
  { cursor = 'now', event_type }: StreamQuery,
  lastEventId: string | null,
): Promise<EventStream> {
  const types = parseTypes(event_type)
  const from = await placeFor(context, lastEventId || cursor)
  return new EventStream((signal, renew) => follow(context, from, types, signal, renew))
}

async function* follow(
  context: ApiContext,
  from: Place,
  types: readonly EventType[] | undefined,
  signal: AbortSignal,
  renew: Renew,
): AsyncGenerator<StreamMessage> {
  const { hub } = context.events ?? {}
  const alarm = createAlarm((ring) => hub?.subscribe(context.model.workspace.id, ring) ?? (() => {}), signal)
  try {
    let place = from
    while (!signal.aborted) {
      const current = await asNow(renew)
      if (current === undefined) return
      const page = await readPage(current, place, AT_ONCE, types)
      for (const event of page.events) yield messageOf(event)
      place = page.next
      // Where nothing is published, nothing more will come.
      if (!page.hasMore && hub === undefined) return
      if (!page.hasMore) await alarm.wait()
    }
  } finally {
    alarm.close()
  }
}

/** What may be seen can have changed since the stream began: scopes, and who may see a list. */
async function asNow(renew: Renew): Promise<ApiContext | undefined> {
  const context = await renew()
  if (context === undefined || (await isNewest(context))) return context
  return { ...context, model: await context.reloadModel() }
}

const messageOf = (event: EventRow): StreamMessage => ({
  id: cursorOf(event.place),
  event: 'event',
  data: renderEvent(event),
  isVisible: (context) => maySeeEvent(context, event),
})

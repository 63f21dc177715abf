/** Streams the events of the feed as they are published. */

import type { ApiContext } from '#context'
import type { EventType } from '#vocabulary/event-types'
import { createSubscribedSignal } from '#base/timing/wake-signal'
import { EventStream, type Renew, type StreamMessage } from '#api/http/response/event-stream'
import { cursorOf, type EventRow, type FeedPlace, hasNewestModel } from './store'
import { maySeeEvent, parseTypes, placeFor, readFeedPage, renderEvent } from './read'
import type { StreamQuery } from './schemas'

const PAGE_SIZE = 200

/** Begins after `Last-Event-ID`, else after the cursor, else now. Throws as `listEvents` does. */
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
  from: FeedPlace,
  types: readonly EventType[] | undefined,
  signal: AbortSignal,
  renew: Renew,
): AsyncGenerator<StreamMessage> {
  const { hub } = context.events ?? {}
  const subscribe = (wake: () => void) => hub?.subscribe(context.model.workspace.id, wake) ?? (() => {})
  const wakeSignal = createSubscribedSignal(subscribe, signal)
  try {
    let place = from
    while (!signal.aborted) {
      const current = await renewWithModel(renew)
      if (current === undefined) return
      const page = await readFeedPage(current, place, PAGE_SIZE, types)
      for (const event of page.events) yield messageOf(event)
      place = page.next
      // Without a hub, this process gets no notifications of new events.
      if (!page.hasMore && hub === undefined) return
      if (!page.hasMore) await wakeSignal.wait()
    }
  } finally {
    wakeSignal.close()
  }
}

/** Scopes and access to lists can have changed since the stream began. */
async function renewWithModel(renew: Renew): Promise<ApiContext | undefined> {
  const context = await renew()
  if (context === undefined || (await hasNewestModel(context))) return context
  return { ...context, model: await context.reloadModel() }
}

const messageOf = (event: EventRow): StreamMessage => ({
  id: cursorOf(event.place),
  event: 'event',
  data: renderEvent(event),
  isVisible: (context) => maySeeEvent(context, event),
})

import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { listEvents, streamEvents } from './read'
import { EventsAnswer, EventsQuery, EventStreamAnswer, StreamQuery } from './schemas'

const tag = 'Events'
const scopes = ['webhook:read'] as const

export const eventRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'events' })
    .get(
      ...guard(
        '/v2/events',
        {
          operation: 'listEvents',
          summary: 'List events',
          description:
            'Every event, the oldest first, from the oldest stored event or from a cursor on. Continue with `next_cursor` ' +
            'at any time: nothing is left out and nothing comes twice. 410 when events after the cursor have expired.',
          tag,
          scopes,
          query: EventsQuery,
          response: EventsAnswer,
        },
        ({ context, query }) => listEvents(context, query),
      ),
    )
    .get(
      ...guard(
        '/v2/events/stream',
        {
          operation: 'streamEvents',
          isHeavy: true,
          summary: 'Stream events',
          description:
            'Server-sent events named `event`, each as the feed shows it, with its cursor as id. From now on, or from ' +
            '`cursor` or `Last-Event-ID` on.',
          tag,
          scopes,
          query: StreamQuery,
          response: EventStreamAnswer,
        },
        ({ context, query, request }) => streamEvents(context, query, request.headers.get('last-event-id')),
      ),
    )

/** The schemas of the feed. */

import { type Static, Type } from 'typebox'
import { EVENT_TYPES } from '#vocabulary/event-types'

const Cursor = Type.Optional(
  Type.String({ description: 'The `next_cursor` of the previous page, or `now` for events from now on.' }),
)
const EventTypes = Type.Optional(
  Type.String({
    description: 'Only events of these types, comma-separated.',
    examples: ['record.created,record.updated'],
  }),
)

export const EventsQuery = Type.Object({
  cursor: Cursor,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  event_type: EventTypes,
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Instead of a cursor: events that were published at this time or later.',
    }),
  ),
})
export type EventsQuery = Static<typeof EventsQuery>

export const StreamQuery = Type.Object({ cursor: Cursor, event_type: EventTypes })
export type StreamQuery = Static<typeof StreamQuery>

const FeedEvent = Type.Object({
  cursor: Type.String({ description: 'The cursor after this event.' }),
  event_id: Type.String({ format: 'uuid' }),
  occurred_at: Type.String({ format: 'date-time' }),
  event: Type.Object(
    {
      event_type: Type.Enum(EVENT_TYPES),
      id: Type.Record(Type.String(), Type.String()),
      actor: Type.Object({ type: Type.String(), id: Type.Union([Type.String(), Type.Null()]) }),
    },
    { description: 'The event as webhooks get it.', additionalProperties: true },
  ),
})

export const EventsAnswer = Type.Object({
  data: Type.Array(FeedEvent),
  pagination: Type.Object({
    next_cursor: Type.String({ description: 'The cursor of the next page, also when there are no new events.' }),
    has_more: Type.Boolean({
      description: 'Whether more events may be available now. A page may be short or empty, and more events follow.',
    }),
  }),
})
export const EventStreamAnswer = Type.Unsafe<string>({ type: 'string', description: 'text/event-stream' })

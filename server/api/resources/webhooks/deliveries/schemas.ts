/** The schemas of deliveries. See docs/reference/webhooks-and-events.md (Deliveries). */

import { type Static, Type } from 'typebox'
import { WEBHOOK_EVENT_TYPES } from '#vocabulary/event-types'

const Uuid = Type.String({ format: 'uuid' })
const Timestamp = Type.String({ format: 'date-time' })
const Status = Type.Enum(['waiting', 'succeeded', 'failed', 'dropped'])
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const Headers = Type.Record(Type.String(), Type.String())

export const DeliveriesQuery = Type.Object({
  status: Type.Optional(Status),
  event_type: Type.Optional(Type.Enum([...WEBHOOK_EVENT_TYPES])),
  record_id: Type.Optional(Uuid),
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'Text that the sent body contains.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String()),
  before: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Only deliveries created before the delivery with this id. Send it without a cursor.',
    }),
  ),
})
export type DeliveriesQuery = Static<typeof DeliveriesQuery>

export const Attempt = Type.Object({
  number: Type.Integer(),
  at: Timestamp,
  duration_ms: Type.Integer(),
  status_code: orNull(Type.Integer()),
  error: orNull(Type.Object({ code: Type.String(), message: Type.String() })),
})
export type Attempt = Static<typeof Attempt>

export const Delivery = Type.Object({
  delivery_id: Uuid,
  webhook_id: Uuid,
  idempotency_key: Uuid,
  kind: Type.Enum(['event', 'test']),
  event_id: orNull(Uuid),
  event_type: Type.Enum([...WEBHOOK_EVENT_TYPES]),
  object_id: orNull(Uuid),
  record_id: orNull(Uuid),
  status: Status,
  next_attempt_at: orNull(Timestamp),
  created_at: Timestamp,
  finished_at: orNull(Timestamp),
  attempts: Type.Array(Attempt),
})
export type Delivery = Static<typeof Delivery>

/** A delivery with all requests and responses. */
export const WholeDelivery = Type.Object({
  ...Delivery.properties,
  target_url: Type.String(),
  body: Type.String({ description: 'The bytes that were signed and sent.' }),
  attempts: Type.Array(
    Type.Object({
      ...Attempt.properties,
      address: orNull(Type.String()),
      request_headers: Headers,
      response_headers: Headers,
      response_body: Type.String({ description: 'The beginning of the response body.' }),
    }),
  ),
})
export type WholeDelivery = Static<typeof WholeDelivery>

export const DeliveriesAnswer = Type.Object({
  data: Type.Array(Delivery),
  pagination: Type.Object({ next_cursor: orNull(Type.String()) }),
})
export const DeliveriesStream = Type.Unsafe<string>({ type: 'string', description: 'text/event-stream' })
export const DeliveryAnswer = Type.Object({ data: Delivery })
export const WholeDeliveryAnswer = Type.Object({ data: WholeDelivery })

const Figures = {
  attempts: Type.Integer(),
  succeeded: Type.Integer({ description: 'Attempts that got a response with status 200 to 299.' }),
  median_duration_ms: orNull(Type.Integer()),
  p95_duration_ms: orNull(Type.Integer({ description: '95 percent of the attempts took at most this long.' })),
}

/** The attempts of the last 24 hours, also those that retry older deliveries. */
export const DeliveryStatistics = Type.Object({
  since: Timestamp,
  ...Figures,
  hours: Type.Array(Type.Object({ hour: Timestamp, ...Figures }), {
    description: 'Each hour in UTC that has attempts, the oldest first.',
  }),
})
export type DeliveryStatistics = Static<typeof DeliveryStatistics>

export const DeliveryStatisticsAnswer = Type.Object({ data: DeliveryStatistics })

export const ReplayInput = Type.Object({
  from: Timestamp,
  to: Type.Optional(Timestamp),
  status: Type.Optional(
    Type.Enum(['failed', 'any'], {
      default: 'failed',
      description: 'Failed and dropped deliveries, or all that are not pending.',
    }),
  ),
})
export type ReplayInput = Static<typeof ReplayInput>

export const ReplayBody = Type.Object({ data: ReplayInput })
export const ReplayAnswer = Type.Object({ data: Type.Object({ redelivered: Type.Integer() }) })

export const TestInput = Type.Object({
  event_type: Type.Enum([...WEBHOOK_EVENT_TYPES]),
  event: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Sent instead of a generated event.',
    }),
  ),
})
export type TestInput = Static<typeof TestInput>

export const TestBody = Type.Object({ data: TestInput })

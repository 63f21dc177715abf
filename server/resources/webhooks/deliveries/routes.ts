import { Elysia } from 'elysia'
import type { RouteGuard } from '../../../http/guard/route'
import { listDeliveries, readDelivery } from './get'
import {
  DeliveriesAnswer,
  DeliveriesQuery,
  DeliveriesStream,
  DeliveryAnswer,
  ReplayAnswer,
  ReplayBody,
  TestBody,
  WholeDeliveryAnswer,
} from './schemas'
import { redeliver, replay, sendTest } from './send'
import { watchDeliveries } from './stream'

const tag = 'Webhooks'
const read = ['webhook:read'] as const
const write = ['webhook:read-write'] as const
const path = '/v2/webhooks/:webhook_id'

/** See docs/reference/webhooks-and-events.md (Deliveries). */
export const deliveryRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'deliveries' })
    .get(
      `${path}/deliveries`,
      ...guard(
        {
          operation: 'listDeliveries',
          summary: 'List what a webhook was told',
          description: 'The newest first, with all attempts. Kept for 30 days unless set otherwise.',
          tag,
          scopes: read,
          query: DeliveriesQuery,
          response: DeliveriesAnswer,
        },
        ({ context, params, query }) => listDeliveries(context, params.webhook_id, query),
      ),
    )
    .get(
      `${path}/stream`,
      ...guard(
        {
          operation: 'streamDeliveries',
          summary: 'Watch what a webhook is told',
          description: 'Server-sent events named `delivery`: each delivery whenever it was attempted.',
          tag,
          scopes: read,
          response: DeliveriesStream,
        },
        ({ context, params, request }) =>
          watchDeliveries(context, params.webhook_id, request.headers.has('last-event-id')),
      ),
    )
    .get(
      `${path}/deliveries/:delivery_id`,
      ...guard(
        {
          operation: 'getDelivery',
          summary: 'Get a delivery with everything that was sent and answered',
          tag,
          scopes: read,
          response: WholeDeliveryAnswer,
        },
        async ({ context, params }) => ({ data: await readDelivery(context, params.webhook_id, params.delivery_id) }),
      ),
    )
    .post(
      `${path}/deliveries/:delivery_id/redeliver`,
      ...guard(
        {
          operation: 'redeliver',
          summary: 'Send a delivery again',
          description: 'At once, with the same body and the same `Idempotency-Key`.',
          tag,
          scopes: write,
          response: DeliveryAnswer,
        },
        async ({ context, params }) => ({ data: await redeliver(context, params.webhook_id, params.delivery_id) }),
      ),
    )
    .post(
      `${path}/replay`,
      ...guard(
        {
          operation: 'replayDeliveries',
          summary: 'Send everything of a time again',
          description: 'What was given up or dropped in it, or with `"status": "any"` all of it.',
          tag,
          scopes: write,
          body: ReplayBody,
          response: ReplayAnswer,
        },
        async ({ context, params, body }) => ({
          data: { redelivered: await replay(context, params.webhook_id, body.data) },
        }),
      ),
    )
    .post(
      `${path}/test`,
      ...guard(
        {
          operation: 'sendTestEvent',
          summary: 'Send an event to try a webhook',
          description:
            'Of a record, list or member that there is, where there is one. Whatever the webhook is subscribed to.',
          tag,
          scopes: write,
          body: TestBody,
          response: DeliveryAnswer,
        },
        async ({ context, params, body }) => ({ data: await sendTest(context, params.webhook_id, body.data) }),
      ),
    )

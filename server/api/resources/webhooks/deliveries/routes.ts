import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { getDelivery, listDeliveries, readStatistics, watchDeliveries } from './read'
import {
  DeliveriesAnswer,
  DeliveriesQuery,
  DeliveriesStream,
  DeliveryAnswer,
  DeliveryStatisticsAnswer,
  ReplayAnswer,
  ReplayBody,
  TestBody,
  WholeDeliveryAnswer,
} from './schemas'
import { redeliver, replay, sendTest } from './send'

/** A token that acts for one member may call none of these operations, as in the public API. */
const ofWorkspace = { tag: 'Webhooks', tokenLevel: 'workspace' } as const
const read = ['webhook:read'] as const
const write = ['webhook:read-write'] as const
const path = '/v2/webhooks/:webhook_id'

/** See docs/reference/webhooks-and-events.md (Deliveries). */
export const deliveryRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'deliveries' })
    .get(
      ...guard(
        `${path}/deliveries`,
        {
          operation: 'listDeliveries',
          summary: 'List the deliveries of a webhook',
          description: 'The newest first, with all attempts. Stored for 30 days by default.',
          ...ofWorkspace,
          scopes: read,
          query: DeliveriesQuery,
          response: DeliveriesAnswer,
        },
        ({ context, params, query }) => listDeliveries(context, params.webhook_id, query),
      ),
    )
    .get(
      ...guard(
        `${path}/statistics`,
        {
          operation: 'getDeliveryStatistics',
          summary: 'Get the success rate and latency of a webhook',
          description: 'The attempts of the last 24 hours, in total and by hour.',
          ...ofWorkspace,
          scopes: read,
          response: DeliveryStatisticsAnswer,
        },
        async ({ context, params }) => ({ data: await readStatistics(context, params.webhook_id) }),
      ),
    )
    .get(
      ...guard(
        `${path}/stream`,
        {
          operation: 'streamDeliveries',
          isHeavy: true,
          summary: 'Stream the deliveries of a webhook',
          description: 'Server-sent events named `delivery`: each delivery when it is created and after each attempt.',
          ...ofWorkspace,
          scopes: read,
          response: DeliveriesStream,
        },
        ({ context, params, request }) =>
          watchDeliveries(context, params.webhook_id, request.headers.has('last-event-id')),
      ),
    )
    .get(
      ...guard(
        `${path}/deliveries/:delivery_id`,
        {
          operation: 'getDelivery',
          summary: 'Get a delivery with all requests and responses',
          ...ofWorkspace,
          scopes: read,
          response: WholeDeliveryAnswer,
        },
        async ({ context, params }) => ({ data: await getDelivery(context, params.webhook_id, params.delivery_id) }),
      ),
    )
    .post(
      ...guard(
        `${path}/deliveries/:delivery_id/redeliver`,
        {
          operation: 'redeliver',
          summary: 'Send a delivery again',
          description: 'Sends it immediately, with the same body and the same `Idempotency-Key`.',
          ...ofWorkspace,
          scopes: write,
          response: DeliveryAnswer,
        },
        async ({ context, params }) => ({ data: await redeliver(context, params.webhook_id, params.delivery_id) }),
      ),
    )
    .post(
      ...guard(
        `${path}/replay`,
        {
          operation: 'replayDeliveries',
          summary: 'Send the deliveries of a period again',
          description: 'Failed and dropped deliveries, or with `"status": "any"` all that are not pending.',
          ...ofWorkspace,
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
      ...guard(
        `${path}/test`,
        {
          operation: 'sendTestEvent',
          summary: 'Send a test event to a webhook',
          description:
            'The event names an existing record, list or member where the workspace has one. Subscriptions do not matter.',
          ...ofWorkspace,
          scopes: write,
          body: TestBody,
          response: DeliveryAnswer,
        },
        async ({ context, params, body }) => ({ data: await sendTest(context, params.webhook_id, body.data) }),
      ),
    )

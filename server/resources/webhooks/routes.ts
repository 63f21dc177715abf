import { Type } from 'typebox'
import { Elysia } from 'elysia'
import { limitOffset } from '../../http/request/pagination'
import type { Door } from '../../http/guard/route'
import { getWebhookRow, listWebhooks } from './get'
import { renderWebhook } from './render'
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from './save'
import {
  CreatedWebhookAnswer,
  CreateWebhookBody,
  EmptyAnswer,
  UpdateWebhookBody,
  WebhookAnswer,
  WebhooksAnswer,
} from './schemas'

const tag = 'Webhooks'
const read = ['webhook:read'] as const
const write = ['webhook:read-write'] as const

/** Spec: webhooks 1 and 8. */
export const webhookRoutes = (door: Door) =>
  new Elysia({ name: 'webhooks' })
    .get(
      '/v2/webhooks',
      ...door(
        {
          operation: 'listWebhooks',
          summary: 'List webhooks',
          description: 'In the order of their creation.',
          tag,
          scopes: read,
          query: Type.Object(limitOffset(10, 100)),
          response: WebhooksAnswer,
        },
        async ({ call, query }) => ({ data: await listWebhooks(call, query) }),
      ),
    )
    .post(
      '/v2/webhooks',
      ...door(
        {
          operation: 'createWebhook',
          summary: 'Create a webhook',
          description: 'The answer alone shows the secret that signs what is sent.',
          tag,
          scopes: write,
          body: CreateWebhookBody,
          response: CreatedWebhookAnswer,
        },
        async ({ call, body }) => ({ data: await createWebhook(call, body.data) }),
      ),
    )
    .get(
      '/v2/webhooks/:webhook_id',
      ...door(
        { operation: 'getWebhook', summary: 'Get a webhook', tag, scopes: read, response: WebhookAnswer },
        async ({ call, params }) => ({ data: renderWebhook(call, await getWebhookRow(call, params.webhook_id)) }),
      ),
    )
    .patch(
      '/v2/webhooks/:webhook_id',
      ...door(
        {
          operation: 'updateWebhook',
          summary: 'Change a webhook',
          description: 'Subscriptions are replaced as a whole. A webhook that was switched off becomes active again.',
          tag,
          scopes: write,
          body: UpdateWebhookBody,
          response: WebhookAnswer,
        },
        async ({ call, params, body }) => ({ data: await updateWebhook(call, params.webhook_id, body.data) }),
      ),
    )
    .delete(
      '/v2/webhooks/:webhook_id',
      ...door(
        { operation: 'deleteWebhook', summary: 'Delete a webhook', tag, scopes: write, response: EmptyAnswer },
        async ({ call, params }) => {
          await deleteWebhook(call, params.webhook_id)
          return {}
        },
      ),
    )
    .post(
      '/v2/webhooks/:webhook_id/rotate-secret',
      ...door(
        {
          operation: 'rotateWebhookSecret',
          summary: 'Give a webhook a new secret',
          description: 'The answer alone shows it. For 24 hours the old one stays valid too.',
          tag,
          scopes: write,
          response: CreatedWebhookAnswer,
        },
        async ({ call, params }) => ({ data: await rotateSecret(call, params.webhook_id) }),
      ),
    )

import { EmptyAnswer } from '#base/validation/shapes'
import { Type } from 'typebox'
import { Elysia } from 'elysia'
import { limitOffset } from '#api/http/request/pagination'
import type { RouteGuard } from '#api/http/guard/route'
import {
  createWebhook,
  deleteWebhook,
  getWebhookRow,
  listWebhooks,
  renderWebhook,
  rotateSecret,
  updateWebhook,
} from './webhooks'
import { CreatedWebhookAnswer, CreateWebhookBody, UpdateWebhookBody, WebhookAnswer, WebhooksAnswer } from './schemas'

/** A token that acts for one member may call none of these operations, as in the public API. */
const ofWorkspace = { tag: 'Webhooks', tokenLevel: 'workspace' } as const
const read = ['webhook:read'] as const
const write = ['webhook:read-write'] as const

/** See docs/reference/webhooks-and-events.md (Webhooks). */
export const webhookRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'webhooks' })
    .get(
      ...guard(
        '/v2/webhooks',
        {
          operation: 'listWebhooks',
          summary: 'List webhooks',
          description: 'In the order of their creation.',
          ...ofWorkspace,
          scopes: read,
          query: Type.Object(limitOffset(10, 100)),
          response: WebhooksAnswer,
        },
        async ({ context, query }) => ({ data: await listWebhooks(context, query) }),
      ),
    )
    .post(
      ...guard(
        '/v2/webhooks',
        {
          operation: 'createWebhook',
          summary: 'Create a webhook',
          description: 'Only this answer shows the secret that signs the requests.',
          ...ofWorkspace,
          scopes: write,
          body: CreateWebhookBody,
          response: CreatedWebhookAnswer,
        },
        async ({ context, body }) => ({ data: await createWebhook(context, body.data) }),
      ),
    )
    .get(
      ...guard(
        '/v2/webhooks/:webhook_id',
        { operation: 'getWebhook', summary: 'Get a webhook', ...ofWorkspace, scopes: read, response: WebhookAnswer },
        async ({ context, params }) => ({
          data: renderWebhook(context, await getWebhookRow(context, params.webhook_id)),
        }),
      ),
    )
    .patch(
      ...guard(
        '/v2/webhooks/:webhook_id',
        {
          operation: 'updateWebhook',
          summary: 'Change a webhook',
          description: 'Subscriptions are replaced as a whole. An inactive webhook becomes active.',
          ...ofWorkspace,
          scopes: write,
          body: UpdateWebhookBody,
          response: WebhookAnswer,
        },
        async ({ context, params, body }) => ({ data: await updateWebhook(context, params.webhook_id, body.data) }),
      ),
    )
    .delete(
      ...guard(
        '/v2/webhooks/:webhook_id',
        {
          operation: 'deleteWebhook',
          summary: 'Delete a webhook',
          ...ofWorkspace,
          scopes: write,
          response: EmptyAnswer,
        },
        async ({ context, params }) => {
          await deleteWebhook(context, params.webhook_id)
          return {}
        },
      ),
    )
    .post(
      ...guard(
        '/v2/webhooks/:webhook_id/rotate-secret',
        {
          operation: 'rotateWebhookSecret',
          summary: 'Rotate the secret of a webhook',
          description: 'Only this answer shows the new secret. The old secret stays valid for 24 hours.',
          ...ofWorkspace,
          scopes: write,
          response: CreatedWebhookAnswer,
        },
        async ({ context, params }) => ({ data: await rotateSecret(context, params.webhook_id) }),
      ),
    )

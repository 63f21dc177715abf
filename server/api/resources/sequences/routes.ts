import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { addUnsubscribedEmails, UnsubscribedAnswer, UnsubscribedBody } from './sequences'

/** See docs/reference/emails.md (Unsubscribed addresses). */
export const sequenceRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'sequences' }).post(
    ...guard(
      '/v2/sequences/unsubscribed_emails',
      {
        operation: 'addUnsubscribedEmails',
        summary: 'Add unsubscribed addresses',
        description: 'Addresses that were added before keep their time.',
        tag: 'Sequences',
        scopes: ['sequence_unsubscribe:read-write'],
        body: UnsubscribedBody,
        response: UnsubscribedAnswer,
      },
      async ({ context, body }) => ({ data: await addUnsubscribedEmails(context, body.data) }),
    ),
  )

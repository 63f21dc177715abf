import { Elysia } from 'elysia'
import { EmptyAnswer } from '#base/validation/shapes'
import type { RouteGuard } from '#api/http/guard/route'
import { deleteSentEmail, getSentEmail, listSentEmails, sendEmail } from './sent-emails'
import { SendEmailBody, SentEmailAnswer, SentEmailsAnswer, SentEmailsQuery } from './schemas'

const tag = 'Emails'

/** See docs/reference/sending-email.md. */
export const sentEmailRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'sent-emails' })
    .post(
      ...guard(
        '/v2/emails/send',
        {
          operation: 'sendEmail',
          summary: 'Send an email',
          description: 'From a connected account of the member. The email is queued, and sent within seconds.',
          tag,
          tokenLevel: 'user',
          scopes: ['email:read-write'],
          body: SendEmailBody,
          response: SentEmailAnswer,
        },
        async ({ context, body }) => ({ data: await sendEmail(context, body.data) }),
      ),
    )
    .get(
      ...guard(
        '/v2/emails/sent',
        {
          operation: 'listSentEmails',
          summary: 'List sent emails',
          description: 'Those that the member wrote in the last 30 days, the newest first, with what became of them.',
          tag,
          tokenLevel: 'user',
          scopes: ['email:read'],
          query: SentEmailsQuery,
          response: SentEmailsAnswer,
        },
        ({ context, query }) => listSentEmails(context, query),
      ),
    )
    .get(
      ...guard(
        '/v2/emails/sent/:sent_email_id',
        {
          operation: 'getSentEmail',
          summary: 'Get a sent email',
          tag,
          tokenLevel: 'user',
          scopes: ['email:read'],
          response: SentEmailAnswer,
        },
        async ({ context, params }) => ({ data: await getSentEmail(context, params.sent_email_id) }),
      ),
    )
    .delete(
      ...guard(
        '/v2/emails/sent/:sent_email_id',
        {
          operation: 'deleteSentEmail',
          summary: 'Delete an email that was not sent',
          description: 'A queued email is not sent then.',
          tag,
          tokenLevel: 'user',
          scopes: ['email:read-write'],
          response: EmptyAnswer,
        },
        ({ context, params }) => deleteSentEmail(context, params.sent_email_id),
      ),
    )

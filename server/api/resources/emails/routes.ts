import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { deleteEmail, listEmails } from './emails'
import { EmailsAnswer, EmailsQuery } from './schemas'

/** See docs/reference/emails.md. */
export const emailRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'emails' })
    .get(
      ...guard(
        '/v2/emails',
        {
          operation: 'listEmails',
          summary: 'List emails',
          description:
            'The metadata of imported emails, newest first. Emails that meet any of the filters by records, participants and domain.',
          tag: 'Emails',
          tokenLevel: 'workspace',
          scopes: ['email:read'],
          query: EmailsQuery,
          response: EmailsAnswer,
        },
        ({ context, query }) => listEmails(context, query),
      ),
    )
    .delete(
      ...guard(
        '/v2/emails/:email_id',
        {
          operation: 'deleteEmail',
          summary: 'Delete an email',
          description:
            'Deletes what is stored of it, for good. Only for admins, and for tokens that an admin authorized.',
          tag: 'Emails',
          scopes: ['email:read-write'],
          response: EmptyAnswer,
        },
        ({ context, params }) => deleteEmail(context, params.email_id),
      ),
    )

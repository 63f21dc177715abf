import { Elysia } from 'elysia'
import type { RouteGuard } from '../../http/guard/route'
import { listEmails } from './list'
import { EmailsAnswer, EmailsQuery } from './schemas'

/** See docs/reference/emails.md. */
export const emailRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'emails' }).get(
    '/v2/emails',
    ...guard(
      {
        operation: 'listEmails',
        summary: 'List emails',
        description:
          'The metadata of imported emails, newest first. Emails that meet any of the filters by records, participants and domain.',
        tag: 'Emails',
        scopes: ['email:read'],
        query: EmailsQuery,
        response: EmailsAnswer,
      },
      ({ context, query }) => listEmails(context, query),
    ),
  )

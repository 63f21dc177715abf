/** Emails: those of a record, those of a company's domain, the newest ones. */

import { readAbout, type Workload } from './workload'

export const EMAILS: readonly Workload[] = [
  readAbout(
    { name: 'email-record', title: 'emails of a record', needs: 'emails', rate: 0.2 },
    ({ id }) => `/v2/emails?linked_object=people&linked_record_ids=${id}`,
  ),
  readAbout(
    { name: 'email-domain', title: 'emails of a domain', needs: 'emails', rate: 0.2 },
    ({ email }) => `/v2/emails?domain=${email.slice(email.indexOf('@') + 1)}`,
  ),
  {
    name: 'email-newest',
    title: 'the newest emails of all',
    request: () => ({ method: 'GET', path: '/v2/emails' }),
    target: { rate: 0.2 },
    within: 20,
    needs: 'emails',
  },
]

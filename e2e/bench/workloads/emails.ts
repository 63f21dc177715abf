/** Emails: those of a record, those of a company's domain, the newest ones. */

import { anyone, type Workload } from './workload'

export const EMAILS: readonly Workload[] = [
  {
    name: 'email-record',
    title: 'emails of a record',
    request: (random, seeded) => ({
      method: 'GET',
      path: `/v2/emails?linked_object=people&linked_record_ids=${anyone(random, seeded).id}`,
    }),
    target: { rate: 0.2 },
    within: 20,
    needs: 'emails',
  },
  {
    name: 'email-domain',
    title: 'emails of a domain',
    request: (random, seeded) => {
      const { email } = anyone(random, seeded)
      return { method: 'GET', path: `/v2/emails?domain=${email.slice(email.indexOf('@') + 1)}` }
    },
    target: { rate: 0.2 },
    within: 20,
    needs: 'emails',
  },
  {
    name: 'email-newest',
    title: 'the newest emails of all',
    request: () => ({ method: 'GET', path: '/v2/emails' }),
    target: { rate: 0.2 },
    within: 20,
    needs: 'emails',
  },
]

/** Lists emails. See docs/reference/emails.md. */

import { runOnLookupPool } from '#db/lookup-pool'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { findContacts } from '#crm/mailboxes/linked-contacts'
import { type EmailPlace, listEmailRows } from '#crm/mailboxes/list-emails'
import { cursorsFor } from '#engine/query/run/cursor'
import { parseBound, resolveAddressFilter } from './parse-filter'
import { renderEmail } from './render'
import type { EmailOutput, EmailsQuery } from './schemas'

export interface EmailsPage {
  readonly data: EmailOutput[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** A page, newest first. Throws 400 for wrong filters and for a cursor of another list. */
export const listEmails = (context: ApiContext, query: EmailsQuery): Promise<EmailsPage> =>
  retryOnConflict(context, async (context) => {
    const { model, db } = context
    const { limit = 25, cursor } = query
    const cursors = await cursorsFor(context, { id: 'emails' }, query)
    const rows = await listEmailRows(db, model.workspace.id, {
      filter: await resolveAddressFilter(context, query),
      sentAfter: parseBound('sent_after', query.sent_after),
      sentBefore: parseBound('sent_before', query.sent_before),
      place: cursor === undefined ? undefined : readPlace(cursors.decode(cursor)),
      limit: limit + 1,
    })
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const addresses = page.flatMap(({ participants }) => participants.map(([, address]) => address))
    const contacts = await runOnLookupPool(db, (sql) => findContacts(sql, model, addresses))
    return {
      data: page.map((email) => renderEmail(model, email, contacts)),
      pagination: { next_cursor: last && rows.length > limit ? cursors.encode([last.sentAt, last.id]) : null },
    }
  })

const readPlace = ([sentAt, id]: readonly (string | null)[]): EmailPlace => ({ sentAt: String(sentAt), id: String(id) })

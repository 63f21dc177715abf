import type { DataModel } from '#engine/data-model/model'
import type { StoredEmail } from '#crm/mailboxes/email'
import { findAddressesOf } from '#crm/mailboxes/linked-contacts'
import { listEmailRows } from '#crm/mailboxes/list-emails'
import { microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { itemText } from '#api/resources/records/activity/item-text'
import type { ActivitySource, Item } from '#api/resources/records/activity/source'

/** Emails of the addresses of a person or a company. The actor is the member whose mailbox has the email. */
export const emailsSource: ActivitySource = {
  type: 'email.sent',
  rank: 11,
  scopes: ['email:read'],
  async read({ context, object, recordId, at, id, limit }) {
    const { model, db } = context
    const filter = (await findAddressesOf(db.sql, model, object, [recordId])).get(recordId)
    if (filter === undefined) return []
    const place = { sentAt: timestampFromMicros(at), id }
    const found = await listEmailRows(db, model.workspace.id, { filter, place, limit })
    return found.map((email) => itemOf(model, email))
  },
}

function itemOf(model: DataModel, { id, memberId, sentAt, direction, subjectLine, participants }: StoredEmail): Item {
  const at = microsFromPostgres(sentAt)
  const actor = model.membersById.get(memberId)?.actor
  const from = participants.find(([role]) => role === 'from')?.[1] ?? null
  const email = JSON.stringify({ email_id: id, direction, subject_line: subjectLine, from })
  return { at, id, text: itemText(model, { type: 'email.sent', at, actor }, { email }) }
}

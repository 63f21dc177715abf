import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import type { DataModel } from '#engine/data-model/model'
import { domainOf } from '#crm/mailboxes/addresses'
import type { Contact } from '#crm/mailboxes/linked-contacts'
import type { StoredEmail } from '#crm/mailboxes/email'
import { timestampFromPostgres } from '#base/timing/clock'
import type { EmailOutput } from './schemas'

/** `contacts` has the people and companies of each address. People come first, each record once. */
export function renderEmail(
  model: DataModel,
  { id, mailboxId, sentAt, direction, subjectLine, participants }: StoredEmail,
  contacts: ReadonlyMap<string, readonly Contact[]>,
): EmailOutput {
  const found = participants
    .flatMap(([, address]) => contacts.get(address) ?? [])
    .filter(({ object }) => !isHiddenObjectId(model, object.id))
  const linked = [...new Map(found.map((contact) => [contact.id, contact])).values()]
  const isPerson = ({ object }: Contact) => object.standard_slug === 'people'
  return {
    id: { workspace_id: model.workspace.id, mailbox_id: mailboxId, email_id: id },
    sent_at: timestampFromPostgres(sentAt),
    direction,
    subject_line: subjectLine,
    participants: participants.map(([role, address, name]) => ({
      role,
      email_address: address,
      email_domain: domainOf(address),
      name,
    })),
    linked_records: [...linked.filter(isPerson), ...linked.filter((contact) => !isPerson(contact))].map(
      ({ object, id: record_id }) => ({ object_slug: object.api_slug, object_id: object.id, record_id }),
    ),
  }
}

/**
 * The records from which emails were sent. An email is named by the account that sends it and by its key in the mailbox of that account, so it
 * is linked before it is sent. See docs/decisions/sending-email.md.
 */

import type { Sql, Transaction } from '#db/connect'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import { anyOf, controlQueriesIn, equal, onEqual } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { Contact } from './linked-contacts'

/** What names a record. */
interface RecordKey {
  readonly objectId: string
  readonly recordId: string
}

interface LinkedEmail {
  readonly workspaceId: string
  readonly accountId: string
  readonly messageKey: string
  readonly links: readonly RecordKey[]
}

/** The caller has locked the records against their deletion. */
export async function insertEmailLinks(
  tx: Transaction,
  { workspaceId, accountId, messageKey, links }: LinkedEmail,
  now: Micros,
): Promise<void> {
  if (links.length === 0) return
  const email = { workspace_id: workspaceId, account_id: accountId, message_key: messageKey }
  const rows = links.map(({ objectId, recordId }) => ({
    ...email,
    object_id: objectId,
    record_id: recordId,
    linked_at: timestampFromMicros(now),
  }))
  await controlQueriesIn(tx).insertInto('relata.email_links').values(rows).execute()
}

/** The records of emails that are sent, by the keys of the emails. Records that the member of the model does not see are left out. */
export async function findLinksOfSent(
  on: Sql,
  model: DataModel,
  emails: readonly { readonly account_id: string; readonly message_key: string }[],
): Promise<ReadonlyMap<string, readonly Contact[]>> {
  if (emails.length === 0) return new Map()
  const accounts = anyOf([...new Set(emails.map(({ account_id }) => account_id))])
  const keys = anyOf(emails.map(({ message_key }) => message_key), 'text') // prettier-ignore
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.email_links')
    .select(['message_key as key', 'object_id', 'record_id'])
    .where(equal({ workspace_id: model.workspace.id, account_id: accounts, message_key: keys }))
    .orderBy('record_id')
    .execute()
  return byKey(model, rows)
}

/** The records of stored emails by the ids of these, in the same way. */
export async function findLinksOfEmails(
  on: Sql,
  model: DataModel,
  emailIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Contact[]>> {
  if (emailIds.length === 0) return new Map()
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.emails as e')
    .innerJoin('relata.mailboxes as m', onEqual({ 'm.workspace_id': 'e.workspace_id', 'm.id': 'e.mailbox_id' }))
    .innerJoin(
      'relata.email_links as l',
      onEqual({ 'l.workspace_id': 'e.workspace_id', 'l.account_id': 'm.account_id', 'l.message_key': 'e.message_key' }),
    )
    .select(['e.id as key', 'l.object_id', 'l.record_id'])
    .where(equal({ 'e.workspace_id': model.workspace.id, 'e.id': anyOf(emailIds) }))
    .orderBy('l.record_id')
    .execute()
  return byKey(model, rows)
}

interface LinkRow {
  readonly key: string
  readonly object_id: string
  readonly record_id: string
}

function byKey(model: DataModel, rows: readonly LinkRow[]): ReadonlyMap<string, readonly Contact[]> {
  const links = new Map<string, Contact[]>()
  for (const { key, object_id, record_id } of rows) {
    const object = model.entityTypesById.get(object_id)
    if (object?.kind !== 'object' || isHiddenObjectId(model, object_id)) continue
    links.set(key, [...(links.get(key) ?? []), { object, id: record_id }])
  }
  return links
}

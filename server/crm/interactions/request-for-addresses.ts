import type { Sql, Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { findContacts } from '#crm/mailboxes/linked-contacts'
import type { Micros } from '#base/timing/clock'
import { requestRefreshes } from './refresh-queue'

/** Requests that the interaction attributes of the people and companies of these addresses are computed. */
export async function requestRefreshesFor(
  db: Sql | Transaction,
  model: DataModel,
  addresses: readonly string[],
  now: Micros,
): Promise<void> {
  const contacts = await findContacts(db, model, addresses)
  const records = [...contacts.values()].flat().map(({ object, id }) => ({ objectId: object.id, recordId: id }))
  await requestRefreshes(db, model.workspace.id, records, now)
}

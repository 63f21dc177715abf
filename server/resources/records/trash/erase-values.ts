import type { Transaction } from '../../../../db/connect'
import type { DataModel } from '../../../data-model/model'
import { lockPublishers } from '../../../events/publish'
import { eraseOutboxValues } from '../../../storage/statements/erase-outbox-values'
import { eraseDeliveryValues } from '../../../webhooks/erase-values'

/** Removes the values of a record from its change events, published or not. The feed has ids only. */
export async function eraseEventValues(tx: Transaction, model: DataModel, recordId: string): Promise<void> {
  await lockPublishers(tx)
  await eraseOutboxValues(tx, model, recordId)
  await eraseDeliveryValues(tx, model, recordId)
}

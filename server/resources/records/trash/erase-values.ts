import type { Transaction } from '../../../../db/connect'
import type { DataModel } from '../../../data-model/model'
import { lockPublishers } from '../../../events/publish'
import { eraseOutboxValues } from '../../../storage/statements/erase-outbox-values'
import { eraseAnswers } from '../../../http/idempotency/erase-answers'
import { eraseWebhookValues } from '../../../webhooks/erase-values'

/** Removes the values of a record from stored answers and from its change events, published or not. The feed has ids only. */
export async function eraseValues(tx: Transaction, model: DataModel, recordId: string): Promise<void> {
  await eraseAnswers(tx, model.workspace.id, recordId)
  await lockPublishers(tx)
  await eraseOutboxValues(tx, model, recordId)
  await eraseWebhookValues(tx, model, recordId)
}

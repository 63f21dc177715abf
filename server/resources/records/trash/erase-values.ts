import type { Transaction } from '../../../../db/connect'
import type { DataModel } from '../../../data-model/model'
import { lockPublishers } from '../../../events/publish'
import { idBefore } from '../../../ids'
import { eraseOutboxValues } from '../../../storage/statements/erase-outbox-values'
import { eraseAnswers } from '../../../http/idempotency/erase-answers'
import { eraseWebhookValues } from '../../../webhooks/erase-values'

/** Longer than a publisher's transaction lasts, and than the clocks of two processes differ. */
const MARGIN_MS = 3_600_000

/**
 * Removes the values of a record from stored answers and from its change events, published or not. The feed has ids only. No
 * index finds the deliveries of a record, so only those of the last hour are read while publishers wait.
 */
export async function eraseValues(tx: Transaction, model: DataModel, recordId: string): Promise<void> {
  await eraseAnswers(tx, model.workspace.id, recordId)
  const since = idBefore(MARGIN_MS)
  await eraseWebhookValues(tx, model, recordId)
  await lockPublishers(tx)
  await eraseOutboxValues(tx, model, recordId)
  await eraseWebhookValues(tx, model, recordId, since)
}

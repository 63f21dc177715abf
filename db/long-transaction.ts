/** Transactions that last as long as the data is large. */

import type { Transaction } from './connect'

/** Limits of the server that are made for requests do not end the transaction. */
export async function allowLongTransaction(tx: Transaction): Promise<void> {
  await tx`set local statement_timeout = 0`
  await tx`set local idle_in_transaction_session_timeout = 0`
}

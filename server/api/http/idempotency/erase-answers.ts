/** Stored answers of idempotent requests without the values of records that are deleted for good. Decision 0143. */

import { renderArray, type Transaction } from '#db/connect'
import { answerErased } from '#base/errors/http'
import { envelopeOf } from '#api/http/response/answer'

const ID =
  /"(?:(?:parent_)?record_id|workspace_id":"[0-9a-f-]{36}","(?:task|meeting)_id)":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g

/**
 * The records whose values, entries, notes, comments or files an answer may have, and the tasks and meetings that are its subject. References
 * name records otherwise.
 */
export const recordIdsIn = (answer: string): string[] => [
  ...new Set(Array.from(answer.matchAll(ID), ([, id = '']) => id)), // a match has one group
]

/** Replaces the answers by an error. They are not deleted: a retry would write the values again. `ids` are of records, tasks and meetings. */
export async function eraseAnswers(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
  const error = answerErased()
  await tx`
    update relata.idempotent_answers
    set status = ${error.status}, headers = '{}', body = ${JSON.stringify(envelopeOf(error))}, record_ids = '{}'
    where workspace_id = ${workspaceId} and record_ids && ${renderArray(ids)}::uuid[]`
}

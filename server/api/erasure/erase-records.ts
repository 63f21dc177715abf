/**
 * Erases what other tables have of records that are deleted for good: the only such code, for requests, jobs and the expiry of the
 * trash. See docs/reference/trash.md (Deletion for good); docs/decisions/erasure.md.
 */

import { anyOf, controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { type RawBuilder, sql as expression } from 'kysely'
import { renderArray, type Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import { type Attribute, type DataModel, hasRecords } from '#engine/data-model/model'
import { type PrepareErasure, purgeRecordEntity } from '#engine/entities/write/delete-entity'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { type EntityChanges, findRequests } from '#engine/rollups/requests'
import { insertRequests } from '#engine/rollups/rollup-queue'
import { appendToOutbox, type EventOrigin, lockPublishers } from '#engine/outbox/outbox'
import { eraseAnswers } from '#api/http/idempotency/idempotent-request'
import { idBefore } from '#base/ids'
import { eraseOutboxValues } from '#engine/storage/statements/outbox-step'
import { readAllTexts, readTrashedTaskIds } from '#engine/storage/trash/purge'
import type { Clock } from '#base/timing/clock'
import { eraseWebhookValues } from '#events/webhooks/erase-values'
import { findAttribute } from '#engine/data-model/find'
import { findContactsOfAll } from '#crm/interactions/interaction-activities'
import { requestRefreshes, requestRefreshesFor } from '#crm/interactions/refresh-queue'
import { removeParticipants } from '#crm/mailboxes/delete-emails'
import { findByKeys } from '#engine/storage/statements/read-many-records'
import { storedKey } from '#engine/storage/unique-keys'

/** Deletes a record for good, also one that is in the trash, and erases what other tables have of it. A deleted object has no records. */
export const eraseRecord = (context: RequestContext, objectId: string, id: string): Promise<boolean> =>
  retryOnConflict(context, async (current) => {
    const object = current.model.entityTypesById.get(objectId)
    if (object === undefined || !hasRecords(object)) return false
    return purgeRecordEntity(current, object, id, {
      check: () => {},
      prepareErasure: erasureWith({ now: current.now }),
    })
  })

/** Longer than a publisher's transaction lasts, and than the clocks of two processes differ. */
const MARGIN_MS = 3_600_000

/** Replaces the text of a task. */
const ERASED_TEXT = '[erased]'

interface ErasureOptions {
  readonly now: Clock
  /** The origin of the change events of tasks. Without it, the texts of tasks stay. */
  readonly originOfTasks?: (() => EventOrigin) | undefined
}

/** Many records cost as many statements as one. No index finds the deliveries of a record. */
export const erasureWith =
  ({ now, originOfTasks }: ErasureOptions): PrepareErasure =>
  async (tx, given, ids) => {
    const model = given.loaded ?? given
    const workspaceId = model.workspace.id
    const addresses = await readErasedAddresses(tx, model, ids)
    const contacts = await findContactsOfAll(tx, model, ids)
    const rollups = await findRequests(tx, model, changesOf(model, ids))
    const taskIds = originOfTasks === undefined ? [] : await readTaskIds(tx, model, ids)
    return async () => {
      const meetingIds = await eraseAddresses(tx, model, addresses, now)
      // No change event says to which records the record of an activity referred.
      await requestRefreshes(tx, workspaceId, contacts, now())
      await insertRequests(tx, workspaceId, rollups, now())
      if (originOfTasks !== undefined) await eraseTasks(tx, taskIds, originOfTasks())
      await eraseAnswers(tx, workspaceId, [...ids, ...meetingIds, ...taskIds])
      const since = idBefore(MARGIN_MS)
      await eraseWebhookValues(tx, model, ids)
      // Publishers wait while only the deliveries of the last hour are read.
      await lockPublishers(tx, workspaceId)
      await eraseOutboxValues(tx, model, ids)
      await eraseWebhookValues(tx, model, ids, since)
    }
  }

/** The deletion of the records, of whichever object or activity they are. */
const changesOf = ({ entityTypes }: DataModel, ids: readonly string[]): EntityChanges[] =>
  entityTypes.filter(hasRecords).map(({ id }) => ({ entityTypeId: id, ids, attributeId: undefined, isErasure: true }))

/** The tasks that are linked to the records, or were when these were moved to the trash. */
async function readTaskIds(tx: Transaction, model: DataModel, ids: readonly string[]): Promise<string[]> {
  const linked = await controlQueriesIn(tx)
    .selectFrom('relata.task_links')
    .select('task_id')
    .distinct()
    .where(equal({ workspace_id: model.workspace.id, record_id: anyOf(ids) }))
    .execute()
  const trashed = await readTrashedTaskIds(tx, model, ids)
  return [...new Set([...linked.map(({ task_id }) => task_id), ...trashed])]
}

async function eraseTasks(tx: Transaction, taskIds: readonly string[], origin: EventOrigin): Promise<void> {
  const erased = await controlQueriesIn(tx)
    .updateTable('relata.tasks as t')
    .from((query) =>
      query
        .selectFrom('relata.tasks')
        .select('id')
        .where(equal({ workspace_id: origin.workspaceId, id: anyOf(taskIds) }))
        .orderBy('id')
        .forUpdate()
        .as('locked'),
    )
    .set(({ eb }) => ({ content: ERASED_TEXT, version: eb('t.version', '+', 1) }))
    .where('t.workspace_id', '=', origin.workspaceId)
    .whereRef('t.id', '=', 'locked.id')
    .where('t.content', '<>', ERASED_TEXT)
    .returning('t.id')
    .execute()
  const events = erased.map(({ id }) => ({ event_type: 'task.updated', id: { task_id: id } }) as const)
  await appendToOutbox(tx, origin, events)
}

// Takes the email addresses of erased people out of emails, meetings and the problems of imports. See docs/decisions/erasure.md.

/** The email addresses that the people among the records have or had. Members keep theirs. */
async function readErasedAddresses(tx: Transaction, model: DataModel, ids: readonly string[]): Promise<string[]> {
  const attribute = addressesOfPeople(model)
  if (attribute === undefined) return []
  const addresses = await readAllTexts(tx, model, { attribute, member: 'email_address' }, ids)
  return addresses.filter((address) => !model.membersByEmail.has(address))
}

/** Runs after the deletion. Addresses that a person has now stay. Returns the ids of the meetings that lost a participant. */
export async function eraseAddresses(
  tx: Transaction,
  model: DataModel,
  given: readonly string[],
  now: Clock,
): Promise<string[]> {
  const addresses = await withoutTaken(tx, model, given)
  if (addresses.length === 0) return []
  const workspaceId = model.workspace.id
  const affected = await removeParticipants(tx, workspaceId, addresses)
  const meetingIds = await removeFromMeetings(tx, workspaceId, addresses)
  await eraseImportedTexts(tx, workspaceId, addresses)
  await requestRefreshesFor(tx, model, [...addresses, ...affected], now())
  return meetingIds
}

/** Also of the object of people when it is disabled. */
function addressesOfPeople({ entityTypes }: DataModel): Attribute | undefined {
  const people = entityTypes.find((each) => each.kind === 'object' && each.standard_slug === 'people')
  return people && findAttribute(people, 'email_addresses')
}

async function withoutTaken(tx: Transaction, model: DataModel, addresses: readonly string[]): Promise<string[]> {
  const attribute = addressesOfPeople(model)
  if (attribute === undefined) return []
  const taken = await findByKeys(tx, model, attribute, addresses.map(storedKey))
  return addresses.filter((address) => !taken.has(storedKey(address)))
}

async function removeFromMeetings(
  tx: Transaction,
  workspaceId: string,
  addresses: readonly string[],
): Promise<string[]> {
  const control = controlQueriesIn(tx)
  // The lock comes first: a statement that waits for it would not see the participants that were written meanwhile.
  const locked = await control
    .selectFrom('relata.meetings')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', (query) =>
      query
        .selectFrom('relata.meeting_participants')
        .select('meeting_id')
        .where(equal({ workspace_id: workspaceId, email_address: anyOf(addresses, 'text') })),
    )
    .orderBy('id')
    .forUpdate()
    .execute()
  if (locked.length === 0) return []
  const ids = locked.map(({ id }) => id)
  await control
    .with('raised', (query) =>
      query
        .updateTable('relata.meetings')
        .set(({ eb }) => ({ version: eb('version', '+', 1) }))
        .where(equal({ workspace_id: workspaceId, id: anyOf(ids) })),
    )
    .deleteFrom('relata.meeting_participants')
    .where(equal({ workspace_id: workspaceId, meeting_id: anyOf(ids), email_address: anyOf(addresses, 'text') }))
    .execute()
  return ids
}

/** Empties values of rows that imports left out, and the examples of columns, that contain an address. */
async function eraseImportedTexts(tx: Transaction, workspaceId: string, addresses: readonly string[]): Promise<void> {
  const control = controlQueriesIn(tx)
  const isNamedIn = (text: RawBuilder<unknown>) => expression<boolean>`exists (
    select from unnest(${renderArray(addresses)}::text[]) as a(address) where strpos(lower(${text}), a.address) > 0)`
  const [reason, value] = [expression.ref('reason'), expression.ref('value')]
  await control
    .updateTable('relata.import_problems')
    .set({ value: '', reason: expression<string>`case when ${isNamedIn(reason)} then '' else reason end` })
    .where('workspace_id', '=', workspaceId)
    .where(expression<boolean>`(strpos(value, '@') > 0 or strpos(reason, '@') > 0)`)
    .where(({ or }) => or([isNamedIn(value), isNamedIn(reason)]))
    .execute()
  await control
    .updateTable('relata.imports')
    .set({
      columns: expression<string>`(
        select jsonb_agg(case when ${isNamedIn(expression`c.value->>'examples'`)}
          then c.value || '{"examples": []}' else c.value end order by c.ordinality)
        from jsonb_array_elements(columns) with ordinality as c)`,
    })
    .where('workspace_id', '=', workspaceId)
    .where(isNamedIn(expression`columns::text`))
    .execute()
}

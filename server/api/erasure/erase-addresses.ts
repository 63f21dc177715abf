/** Takes the email addresses of erased people out of emails, meetings and the problems of imports. See docs/decisions/erasure.md. */

import { renderArray, type Transaction } from '#db/connect'
import { findAttribute } from '#engine/data-model/find'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { requestRefreshesFor } from '#crm/interactions/refresh-queue'
import { removeParticipants } from '#crm/mailboxes/delete-emails'
import { findByKeys } from '#engine/storage/statements/read-many-records'
import { readAllTexts } from '#engine/storage/trash/purge'
import { storedKey } from '#engine/storage/unique-keys'
import type { Clock } from '#base/timing/clock'

/** The email addresses that the people among the records have or had. Members keep theirs. */
export async function readErasedAddresses(
  tx: Transaction,
  model: DataModel,
  ids: readonly string[],
): Promise<string[]> {
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
  const erased = renderArray(addresses)
  // The lock comes first: a statement that waits for it would not see the participants that were written meanwhile.
  const locked = await tx<{ id: string }[]>`
    select id from relata.meetings where workspace_id = ${workspaceId} and id in (
      select meeting_id from relata.meeting_participants
      where workspace_id = ${workspaceId} and email_address = any(${erased}::text[]))
    order by id for update`
  if (locked.length === 0) return []
  const ids = locked.map(({ id }) => id)
  await tx`
    with raised as (
      update relata.meetings set version = version + 1
      where workspace_id = ${workspaceId} and id = any(${renderArray(ids)}::uuid[]))
    delete from relata.meeting_participants
    where workspace_id = ${workspaceId} and meeting_id = any(${renderArray(ids)}::uuid[]) and email_address = any(${erased}::text[])`
  return ids
}

/** Empties values of rows that imports left out, and the examples of columns, that contain an address. */
async function eraseImportedTexts(tx: Transaction, workspaceId: string, addresses: readonly string[]): Promise<void> {
  const erased = renderArray(addresses)
  await tx`
    update relata.import_problems p set value = '', reason = case
      when exists (select from unnest(${erased}::text[]) as a(address) where strpos(lower(p.reason), a.address) > 0) then ''
      else reason end
    where workspace_id = ${workspaceId} and (strpos(p.value, '@') > 0 or strpos(p.reason, '@') > 0) and exists (
      select from unnest(${erased}::text[]) as a(address)
      where strpos(lower(p.value), a.address) > 0 or strpos(lower(p.reason), a.address) > 0)`
  await tx`
    update relata.imports i set columns = (
      select jsonb_agg(
        case when exists (
          select from unnest(${erased}::text[]) as a(address) where strpos(lower(c.value->>'examples'), a.address) > 0)
        then c.value || '{"examples": []}' else c.value end order by c.ordinality)
      from jsonb_array_elements(i.columns) with ordinality as c)
    where workspace_id = ${workspaceId} and exists (
      select from unnest(${erased}::text[]) as a(address) where strpos(lower(i.columns::text), a.address) > 0)`
}

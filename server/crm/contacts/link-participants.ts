/** Links a meeting to the people of its participants and to their companies. See docs/reference/meetings.md (People and companies). */

import type { Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import type { ObjectType } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { lockExistingRecords } from '#engine/storage/read-entities'
import { VersionConflict } from '#engine/storage/preconditions'
import { findByKeys, readRecords } from '#engine/storage/statements/read-many-records'
import { readVisibility } from '#crm/meetings/visibility'
import { companyDomainOf, isOwnAddress } from './company-domain'
import { type ContactTypes, contactTypesOf } from './contact-types'
import { findOrCreate } from './find-or-create'
import { companiesOf, linkCompanies } from './link-companies'
import { type MatchedRecord, type ParticipantAddress, readAddresses, saveMatchedRecords } from './meeting-store'

/**
 * Creates unknown people if the workspace creates contacts. Links that callers gave stay. Begins again when participants
 * change or records are merged before the links are written.
 */
export const linkParticipants = (context: RequestContext, meetingId: string): Promise<void> =>
  retryOnConflict(context, (context) => tryToLink(context, meetingId))

async function tryToLink(context: RequestContext, meetingId: string): Promise<void> {
  const { model, db } = context
  const types = contactTypesOf(model)
  if (types === undefined) return
  const participants = await readAddresses(db.sql, model.workspace.id, meetingId)
  // The people of a meeting that its members do not share stay unknown to the others.
  const isShared = (await readVisibility(db.sql, model.workspace.id, meetingId, undefined)) !== 'nothing'
  const creates = model.workspace.creates_contacts && isShared
  const personIds = await peopleOf(context, types, { participants, creates })
  if (creates) await linkCompanies(context, personIds)
  const companyIds = await companyIdsOf(context, types, personIds)
  await db.sql.begin(async (tx) => {
    const people = await lockRecords(tx, types.people, personIds)
    const companies = await lockRecords(tx, types.companies, companyIds)
    const matched = [...people, ...companies]
    await saveMatchedRecords(tx, model.workspace.id, meetingId, { participants, matched, now: context.now() })
  })
}

/** Locks the records, so that their deletion does not miss the links. Throws `VersionConflict` when one is deleted or merged. */
async function lockRecords(tx: Transaction, object: ObjectType, ids: readonly string[]): Promise<MatchedRecord[]> {
  const existing = await lockExistingRecords(tx, object, ids)
  if (existing.size < ids.length) throw new VersionConflict()
  return ids.map((id) => ({ objectId: object.id, recordId: id }))
}

/** The ids of the people with these addresses, each once, in the order of the participants. */
async function peopleOf(
  context: RequestContext,
  { emailAddresses }: ContactTypes,
  { participants, creates }: { readonly participants: readonly ParticipantAddress[]; readonly creates: boolean },
): Promise<string[]> {
  const { model, db } = context
  const addresses = participants.map(({ address }) => address)
  const found = await findByKeys(db.sql, model, emailAddresses, addresses)
  const ids = new Set<string>()
  for (const participant of participants) {
    const id = found.get(participant.address) ?? (creates ? await createPerson(context, participant) : undefined)
    if (id !== undefined) ids.add(id)
  }
  return [...ids]
}

/** Undefined for an address of the workspace's own domains. */
async function createPerson(
  context: RequestContext,
  { address, name }: ParticipantAddress,
): Promise<string | undefined> {
  const { model } = context
  if (isOwnAddress(model, address)) return undefined
  const domain = companyDomainOf(model, address)
  const company = domain && (await companiesOf(context, [domain])).get(domain.host)
  return findOrCreate(context, {
    object: ({ people }) => people,
    keyAttribute: ({ emailAddresses }) => emailAddresses,
    keys: [address],
    values: {
      email_addresses: [address],
      ...(name !== null && { name }),
      ...(company !== undefined && { company: { target_object: 'companies', target_record_id: company } }),
    },
  })
}

async function companyIdsOf(
  { db, model }: RequestContext,
  { people, company }: ContactTypes,
  personIds: readonly string[],
): Promise<string[]> {
  const records = await readRecords(db.sql, model, people, [company], personIds)
  const ids = personIds.flatMap((id) => records.get(id)?.valuesOf(company) ?? [])
  return [...new Set(ids.map(({ stored }) => String(stored.target_record_id)))]
}

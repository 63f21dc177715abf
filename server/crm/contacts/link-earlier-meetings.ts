/**
 * Links people to the meetings that already have one of their addresses among the participants, such as after a person got an
 * address. See docs/reference/meetings.md (Linked records); decision 0104.
 */

import type { Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { lockExistingRecords } from '#engine/storage/find-records'
import { readRecords } from '#engine/storage/statements/read-many-records'
import { type ContactTypes, contactTypesOf } from './contact-types'
import { addMatchedRecords, findUnlinkedMeetings, type MatchedPerson, type UnlinkedMeeting } from './meeting-store'

/** Meetings that are linked in one transaction. */
const MAX_MEETINGS = 1000

/**
 * Links the people, and their companies, to meetings without these links. Returns the people who may have further such
 * meetings. The other participants of the meetings stay as they are.
 */
export const linkEarlierMeetings = (context: RequestContext, personIds: readonly string[]): Promise<string[]> =>
  retryOnConflict(context, async (context) => {
    const types = contactTypesOf(context.model)
    if (types === undefined) return []
    const { db, model, now } = context
    const people = await readPeople(context, types, personIds)
    const unlinked = await findUnlinkedMeetings(db.sql, model.workspace.id, people, MAX_MEETINGS)
    if (unlinked.length === 0) return []
    await db.sql.begin(async (tx) => {
      const existing = await lockPeople(tx, types, people, unlinked)
      await addMatchedRecords(tx, model.workspace.id, { people: existing, unlinked, now: now() })
    })
    return unlinked.length < MAX_MEETINGS ? [] : [...new Set(unlinked.map(({ personId }) => personId))]
  })

async function readPeople(
  { db, model }: RequestContext,
  { people, emailAddresses, company, companies }: ContactTypes,
  personIds: readonly string[],
): Promise<MatchedPerson[]> {
  const records = await readRecords(db.sql, model, people, [emailAddresses, company], personIds)
  return [...records].map(([id, record]) => ({
    person: { objectId: people.id, recordId: id },
    addresses: record.valuesOf(emailAddresses).map(({ stored }) => String(stored.email_address)),
    companies: record
      .valuesOf(company)
      .map(({ stored }) => ({ objectId: companies.id, recordId: String(stored.target_record_id) })),
  }))
}

/** Locks the records to be linked, so that their deletion does not miss the links. Leaves out those that were deleted since. */
async function lockPeople(
  tx: Transaction,
  types: ContactTypes,
  people: readonly MatchedPerson[],
  unlinked: readonly UnlinkedMeeting[],
): Promise<MatchedPerson[]> {
  const ids = new Set(unlinked.map(({ personId }) => personId))
  const concerned = people.filter(({ person }) => ids.has(person.recordId))
  const idsOf = (records: readonly { readonly recordId: string }[]) => records.map(({ recordId }) => recordId)
  const existing = await lockExistingRecords(tx, types.people, [...ids])
  const companyIds = new Set(concerned.flatMap(({ companies }) => idsOf(companies)))
  const existingCompanies = await lockExistingRecords(tx, types.companies, [...companyIds])
  return concerned
    .filter(({ person }) => existing.has(person.recordId))
    .map((each) => ({ ...each, companies: each.companies.filter(({ recordId }) => existingCompanies.has(recordId)) }))
}

/**
 * Creates and links contacts beside requests: the people of participants, the companies and the earlier meetings of people. Every process runs
 * a worker; a job is taken by one of them. See docs/reference/meetings.md (People and companies); docs/decisions/contacts-and-interactions.md.
 */

import type { Database, Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import type { ModelCache } from '#engine/data-model/cache'
import { type DataModel, SYSTEM_ACTOR, type ObjectType } from '#engine/data-model/model'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import type { Clock } from '#base/timing/clock'
import { deleteTaken, inTurn, queueWorker, takeDue } from '#engine/queue'
import type { EventPipeline } from '#events/webhooks/event-pipeline'
import { type ContactJob, contactQueue, queuePeople } from './job-store'
import { companiesOf, findOrCreate, linkCompanies } from './people-and-companies'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { lockExistingRecords } from '#engine/storage/read-entities'
import { readRecords, findByKeys } from '#engine/storage/statements/read-many-records'
import { type ContactTypes, contactTypesOf } from './contact-types'
import {
  addMatchedRecords,
  findUnlinkedMeetings,
  type MatchedPerson,
  type UnlinkedMeeting,
  type MatchedRecord,
  type ParticipantAddress,
  readAddresses,
  saveMatchedRecords,
} from './meeting-store'
import { VersionConflict } from '#engine/storage/preconditions'
import { readVisibility } from '#crm/meetings/visibility'
import { companyDomainOf, isOwnAddress } from './company-domain'

export interface ContactWorkerContext {
  readonly db: Database
  readonly models: Pick<ModelCache, 'get' | 'reload'>
  readonly now: Clock
  /** Woken after a job whose writes may have change events. */
  readonly events?: Pick<EventPipeline, 'wake'>
}

const BATCH_SIZE = 20
/** People whose companies and meetings are looked up together. */
const MAX_TOGETHER = 500
/** After this many attempts a job is dropped; the log has the reasons. */
const MAX_ATTEMPTS = 10

/** Stopping waits for the jobs that run. */
export const contactWorker = queueWorker<ContactWorkerContext>({
  name: 'contacts',
  does: 'creates and links contacts',
  queue: contactQueue,
  everyMs: 2_000,
  async take(context, stopping, logFailure) {
    const taken = await takeDue(context.db, contactQueue, { now: context.now(), limit: BATCH_SIZE })
    if (taken.length === 0) return undefined
    return inTurn(groupJobs(taken), stopping, (jobs) =>
      runJobs(context, jobs).catch((error: unknown) => logFailure('Contacts could not be linked yet.', error)),
    )
  },
})

/** First attempts at people of a workspace run together. Later ones run alone, so that no job holds up another one. */
const groupJobs = (jobs: readonly ContactJob[]): readonly ContactJob[][] => [
  ...Map.groupBy(jobs, ({ workspace_id, id, meeting_id, attempts }) =>
    meeting_id === null && attempts === 1 ? workspace_id : id,
  ).values(),
]

/** Runs one job, or several with people of one workspace. */
async function runJobs(options: ContactWorkerContext, jobs: readonly ContactJob[]): Promise<void> {
  const [first] = jobs
  if (first === undefined) return
  const { workspace_id, meeting_id, attempts } = first
  if (attempts <= MAX_ATTEMPTS) {
    const context = contextOf(options, await options.models.get(workspace_id))
    if (meeting_id !== null) await linkParticipants(context, meeting_id)
    else await linkAll(context, jobs)
    options.events?.wake()
  }
  const ids = jobs.map(({ id }) => id)
  await deleteTaken(options.db.sql, contactQueue, workspace_id, ids)
}

async function linkAll(context: RequestContext, jobs: readonly ContactJob[]): Promise<void> {
  const ids = [...new Set(jobs.flatMap(({ record_ids }) => record_ids ?? []))]
  const { model, db } = context
  for (let start = 0; start < ids.length; start += MAX_TOGETHER) {
    const together = ids.slice(start, start + MAX_TOGETHER)
    if (model.workspace.creates_contacts) await linkCompanies(context, together)
    const unfinished = await linkEarlierMeetings(context, together)
    if (unfinished.length === 0) continue
    const queued = { workspace_id: model.workspace.id, record_ids: unfinished, is_bulk: false }
    await queuePeople(db.sql, [queued], context.now())
  }
}

/** The service itself acts. */
const contextOf = ({ db, models, now }: ContactWorkerContext, model: DataModel): RequestContext => ({
  model,
  reloadModel: () => models.reload(model.workspace.id),
  actor: SYSTEM_ACTOR,
  scopes: new Set(READ_WRITE_SCOPES),
  db,
  now,
})

// Links people to the meetings that already have one of their addresses among the participants, such as after a person got an
// address. See docs/reference/meetings.md (Linked records); docs/decisions/contacts-and-interactions.md.

/** Meetings that are linked in one transaction. */
const MAX_MEETINGS = 1000

/**
 * Links the people, and their companies, to meetings without these links. Returns the people who may have further such
 * meetings. The other participants of the meetings stay as they are.
 */
const linkEarlierMeetings = (context: RequestContext, personIds: readonly string[]): Promise<string[]> =>
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

// Links a meeting to the people of its participants and to their companies. See docs/reference/meetings.md (People and companies).

/**
 * Creates unknown people if the workspace creates contacts. Links that callers gave stay. Begins again when participants
 * change or records are merged before the links are written.
 */
const linkParticipants = (context: RequestContext, meetingId: string): Promise<void> =>
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

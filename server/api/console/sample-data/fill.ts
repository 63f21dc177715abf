/** The sample data, and how the operations of the API write it. */
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { sampleDataExists, sampleDataRefused } from '#base/errors/access'
import { newId } from '#base/ids'
import type { AppContext } from '#context'
import { deleteItems, insertSample, listSamples, type SampleKind } from './remove'
import { dataOf, RefusedSample, type SendRequest } from './requests'

/** A small sales team's companies. Domains are below `example.com`, which RFC 2606 keeps free, so that no message reaches a stranger. */
export const SAMPLE_COMPANIES = [
  ['Northwind Robotics', 'northwind.example.com', 'Robots that sort parcels in warehouses.'],
  ['Lumen Health', 'lumen.example.com', 'Software for the appointments of small clinics.'],
  ['Fjord Logistics', 'fjord.example.com', 'Freight by sea between Norway and the Netherlands.'],
  ['Paper Crane Studio', 'papercrane.example.com', 'Packaging design for food brands.'],
  ['Alder & Finch', 'alderfinch.example.com', 'Accountants for family businesses.'],
] as const

/** First name, last name, job title, and the number of the company. */
export const SAMPLE_PEOPLE = [
  ['Mara', 'Lindqvist', 'Head of Operations', 0],
  ['Tomás', 'Herrera', 'Purchasing', 0],
  ['Priya', 'Raman', 'Founder', 1],
  ['Jonas', 'Weber', 'Product Manager', 1],
  ['Ingrid', 'Solberg', 'Managing Director', 2],
  ['Daniel', 'Okafor', 'IT Lead', 2],
  ['Hana', 'Sato', 'Creative Director', 3],
  ['Claire', 'Dubois', 'Partner', 4],
] as const

/** Name, value, how far it is (0 the first stage, 1 the last), the number of the company, and those of people. */
export const SAMPLE_DEALS = [
  ['Northwind: pilot in two warehouses', 48_000, 0.34, 0, [0, 1]],
  ['Northwind: maintenance contract', 12_500, 0, 0, [1]],
  ['Lumen: yearly licence', 18_900, 0.67, 1, [2]],
  ['Fjord: tracking of containers', 36_000, 0.34, 2, [4, 5]],
  ['Paper Crane: starter plan', 3_600, 0, 3, [6]],
  ['Alder & Finch: migration', 9_400, 0.67, 4, [7]],
] as const

/** Title, content, and the number of the company. */
export const SAMPLE_NOTES = [
  [
    'First call with Northwind',
    'They run **two warehouses** and want to start with one line.\n\n- Decision in six weeks\n- Mara signs, Tomás negotiates\n- Needs a reference from logistics',
    0,
  ],
  ['What Lumen asks for', 'Single sign-on, and an export every month. Priya decides alone.', 1],
] as const

/** Content, days until it is due, and the number of the deal. */
export const SAMPLE_TASKS = [
  ['Send the offer for the pilot to Mara', 0, 0],
  ['Ask Ingrid for the number of containers a month', 1, 3],
  ['Prepare the demo for Lumen', 3, 2],
] as const

/** Title, days from now, hour of the day in UTC, and the number of the person. */
const SAMPLE_MEETINGS = [
  ['Pilot review with Northwind', 0, 15, 0],
  ['Demo for Lumen Health', 3, 9, 2],
] as const

type Filler = Pick<AppContext, 'db' | 'now'>

/** Owns the deals and takes part in the meetings. */
interface Admin extends Pick<ConsoleMember, 'workspaceId' | 'memberId'> {
  readonly emailAddress: string
}

/** Throws 409 while there is sample data, and when the data model refuses it. Nothing of it then stays. */
export async function fillWithSamples(app: Filler, admin: Admin, send: SendRequest): Promise<void> {
  const { workspaceId } = admin
  if ((await listSamples(app.db.sql, workspaceId)).length > 0) throw sampleDataExists()
  try {
    await fill(app, admin, send)
  } catch (error) {
    await deleteItems(app, workspaceId, send, await listSamples(app.db.sql, workspaceId))
    if (error instanceof RefusedSample) throw sampleDataRefused(error.message)
    throw error
  }
}

type Store = (kind: SampleKind, id: string, objectId?: string) => Promise<void>

/** What the parts are written with. */
interface Filling {
  readonly admin: Admin
  readonly send: SendRequest
  readonly store: Store
  /** The text of a time of a day, counted from today, in UTC. */
  timeOf(days: number, hour: number): string
}

async function fill({ db, now }: Filler, admin: Admin, send: SendRequest): Promise<void> {
  let position = 0
  const filling: Filling = {
    admin,
    send,
    store: (kind, id, objectId) =>
      insertSample(db.sql, admin.workspaceId, { kind, id, object_id: objectId ?? null, position: position++ }),
    timeOf(days, hour) {
      const date = new Date(now() / 1000)
      const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + days, hour)
      return new Date(day).toISOString()
    },
  }
  const companies = await fillCompanies(filling)
  const people = await fillPeople(filling, companies)
  const deals = await fillDeals(filling, companies, people)
  await fillNotes(filling, companies)
  await fillTasks(filling, deals)
  await fillMeetings(filling, people)
}

async function fillCompanies(filling: Filling): Promise<string[]> {
  const ids: string[] = []
  for (const [name, domain, description] of SAMPLE_COMPANIES)
    ids.push(await createRecord(filling, 'companies', { name, domains: [domain], description }))
  return ids
}

async function fillPeople(filling: Filling, companies: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const [first_name, last_name, job_title, company] of SAMPLE_PEOPLE) {
    const name = { first_name, last_name, full_name: `${first_name} ${last_name}` }
    const values = { name, job_title, email_addresses: [addressOf(first_name, company)] }
    ids.push(await createRecord(filling, 'people', { ...values, company: [refer('companies', companies[company])] }))
  }
  return ids
}

/** Deals have the stages of the workspace. */
async function fillDeals(filling: Filling, companies: readonly string[], people: readonly string[]): Promise<string[]> {
  const { send, admin } = filling
  const statuses = dataOf<{ title: string }[]>(await send('GET', '/objects/deals/attributes/stage/statuses'))
  const ids: string[] = []
  for (const [name, value, progress, company, contacts] of SAMPLE_DEALS) {
    const values = {
      name,
      value,
      stage: statuses[Math.floor(progress * statuses.length)]?.title,
      owner: [memberOf(admin)],
      associated_company: [refer('companies', companies[company])],
      associated_people: contacts.map((number) => refer('people', people[number])),
    }
    ids.push(await createRecord(filling, 'deals', values))
  }
  return ids
}

async function fillNotes({ send, store }: Filling, companies: readonly string[]): Promise<void> {
  for (const [title, content, company] of SAMPLE_NOTES) {
    const parent = { parent_object: 'companies', parent_record_id: companies[company] }
    const answer = await send('POST', '/notes', { ...parent, title, format: 'markdown', content })
    await store('note', dataOf<{ id: { note_id: string } }>(answer).id.note_id)
  }
}

async function fillTasks({ send, store, admin, timeOf }: Filling, deals: readonly string[]): Promise<void> {
  for (const [content, days, deal] of SAMPLE_TASKS) {
    const links = { linked_records: [refer('deals', deals[deal])], assignees: [memberOf(admin)] }
    const task = { format: 'plaintext', content, deadline_at: timeOf(days, 12), is_completed: false, ...links }
    const answer = await send('POST', '/tasks', task)
    await store('task', dataOf<{ id: { task_id: string } }>(answer).id.task_id)
  }
}

async function fillMeetings({ send, store, admin, timeOf }: Filling, people: readonly string[]): Promise<void> {
  for (const [title, days, hour, person] of SAMPLE_MEETINGS) {
    const [firstName, , , company] = SAMPLE_PEOPLE[person]
    const meeting = {
      title,
      description: '',
      is_all_day: false,
      start: { datetime: timeOf(days, hour) },
      end: { datetime: timeOf(days, hour + 1) },
      participants: [
        { email_address: admin.emailAddress, is_organizer: true, status: 'accepted' },
        { email_address: addressOf(firstName, company), is_organizer: false, status: 'pending' },
      ],
      linked_records: [{ object: 'people', record_id: people[person] }],
      external_ref: newId(),
    }
    const answer = await send('POST', '/meetings', meeting)
    await store('meeting', dataOf<{ id: { meeting_id: string } }>(answer).id.meeting_id)
  }
}

async function createRecord({ send, store }: Filling, object: string, values: object): Promise<string> {
  const answer = await send('POST', `/objects/${object}/records`, { values })
  const { id } = dataOf<{ id: { record_id: string; object_id: string } }>(answer)
  await store('record', id.record_id, id.object_id)
  return id.record_id
}

const refer = (object: string, id: string | undefined) => ({ target_object: object, target_record_id: id })

const memberOf = ({ memberId }: Admin) => ({ referenced_actor_type: 'workspace-member', referenced_actor_id: memberId })

const addressOf = (firstName: string, company: number): string =>
  `${firstName
    .normalize('NFD')
    .replaceAll(/[^a-z]/gi, '')
    .toLowerCase()}@${SAMPLE_COMPANIES[company]?.[1] ?? ''}`

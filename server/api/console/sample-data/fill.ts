/** The sample data, and how the operations of the API write it. Texts are in the languages of the console. */
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { sampleDataExists, sampleDataRefused } from '#base/errors/access'
import { newId } from '#base/ids'
import type { AppContext } from '#context'
import type { Language } from '#vocabulary/languages'
import { deleteItems, insertSample, listSamples, type SampleItem, type SampleKind } from './remove'
import { dataOf, RefusedSample, type SendRequest } from './requests'

/** A small sales team's companies. Domains are below `example.com`, which RFC 2606 keeps free, so that no message reaches a stranger. */
export const SAMPLE_COMPANIES = [
  [
    'Northwind Robotics',
    'northwind.example.com',
    { en: 'Robots that sort parcels in warehouses.', de: 'Roboter, die Pakete in Lagern sortieren.' },
  ],
  [
    'Lumen Health',
    'lumen.example.com',
    { en: 'Software for the appointments of small clinics.', de: 'Software für die Termine kleiner Praxen.' },
  ],
  [
    'Fjord Logistics',
    'fjord.example.com',
    {
      en: 'Freight by sea between Norway and the Netherlands.',
      de: 'Seefracht zwischen Norwegen und den Niederlanden.',
    },
  ],
  [
    'Paper Crane Studio',
    'papercrane.example.com',
    { en: 'Packaging design for food brands.', de: 'Verpackungsdesign für Lebensmittelmarken.' },
  ],
  [
    'Alder & Finch',
    'alderfinch.example.com',
    { en: 'Accountants for family businesses.', de: 'Steuerberatung für Familienunternehmen.' },
  ],
] as const

/** First name, last name, job title, and the number of the company. */
export const SAMPLE_PEOPLE = [
  ['Mara', 'Lindqvist', { en: 'Head of Operations', de: 'Leiterin Betrieb' }, 0],
  ['Tomás', 'Herrera', { en: 'Purchasing', de: 'Einkauf' }, 0],
  ['Priya', 'Raman', { en: 'Founder', de: 'Gründerin' }, 1],
  ['Jonas', 'Weber', { en: 'Product Manager', de: 'Produktmanager' }, 1],
  ['Ingrid', 'Solberg', { en: 'Managing Director', de: 'Geschäftsführerin' }, 2],
  ['Daniel', 'Okafor', { en: 'IT Lead', de: 'IT-Leiter' }, 2],
  ['Hana', 'Sato', { en: 'Creative Director', de: 'Kreativdirektorin' }, 3],
  ['Claire', 'Dubois', { en: 'Partner', de: 'Partnerin' }, 4],
] as const

/** Name, value, how far it is (0 the first stage, 1 the last), the number of the company, and those of people. */
export const SAMPLE_DEALS = [
  [{ en: 'Northwind: pilot in two warehouses', de: 'Northwind: Pilot in zwei Lagern' }, 48_000, 0.34, 0, [0, 1]],
  [{ en: 'Northwind: maintenance contract', de: 'Northwind: Wartungsvertrag' }, 12_500, 0, 0, [1]],
  [{ en: 'Lumen: yearly licence', de: 'Lumen: Jahreslizenz' }, 18_900, 0.67, 1, [2]],
  [{ en: 'Fjord: tracking of containers', de: 'Fjord: Containerverfolgung' }, 36_000, 0.34, 2, [4, 5]],
  [{ en: 'Paper Crane: starter plan', de: 'Paper Crane: Einstiegstarif' }, 3_600, 0, 3, [6]],
  [{ en: 'Alder & Finch: migration', de: 'Alder & Finch: Migration' }, 9_400, 0.67, 4, [7]],
] as const

/** Title, content, and the number of the company. */
export const SAMPLE_NOTES = [
  [
    { en: 'First call with Northwind', de: 'Erstes Gespräch mit Northwind' },
    {
      en: 'They run **two warehouses** and want to start with one line.\n\n- Decision in six weeks\n- Mara signs, Tomás negotiates\n- Needs a reference from logistics',
      de: 'Sie betreiben **zwei Lager** und wollen mit einer Linie beginnen.\n\n- Entscheidung in sechs Wochen\n- Mara unterschreibt, Tomás verhandelt\n- Brauchen eine Referenz aus der Logistik',
    },
    0,
  ],
  [
    { en: 'What Lumen asks for', de: 'Was Lumen braucht' },
    {
      en: 'Single sign-on, and an export every month. Priya decides alone.',
      de: 'Single Sign-on und jeden Monat einen Export. Priya entscheidet allein.',
    },
    1,
  ],
] as const

/** Content, days until it is due, and the number of the deal. */
export const SAMPLE_TASKS = [
  [{ en: 'Send the offer for the pilot to Mara', de: 'Mara das Angebot für den Piloten senden' }, 0, 0],
  [
    { en: 'Ask Ingrid for the number of containers a month', de: 'Ingrid nach der Zahl der Container im Monat fragen' },
    1,
    3,
  ],
  [{ en: 'Prepare the demo for Lumen', de: 'Demo für Lumen vorbereiten' }, 3, 2],
] as const

/** Title, days from now, hour of the day in UTC, and the number of the person. */
const SAMPLE_MEETINGS = [
  [{ en: 'Pilot review with Northwind', de: 'Auswertung des Piloten mit Northwind' }, 0, 15, 0],
  [{ en: 'Demo for Lumen Health', de: 'Demo für Lumen Health' }, 3, 9, 2],
] as const

type Filler = Pick<AppContext, 'db' | 'now'>

/** Owns the deals and takes part in the meetings. The texts are in the language. */
interface Admin extends Pick<ConsoleMember, 'workspaceId' | 'memberId'> {
  readonly emailAddress: string
  readonly language: Language
}

/** Throws 409 while there is sample data, also of another request, and when the data model refuses it. Nothing of it then stays. */
export async function fillWithSamples(app: Filler, admin: Admin, send: SendRequest): Promise<void> {
  const { workspaceId } = admin
  if ((await listSamples(app.db.sql, workspaceId)).length > 0) throw sampleDataExists()
  const created: SampleItem[] = []
  try {
    await fill(app, admin, send, created)
  } catch (error) {
    await deleteItems(app, workspaceId, send, created)
    if (error instanceof RefusedSample && (await listSamples(app.db.sql, workspaceId)).length > 0)
      throw sampleDataExists()
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

/** Adds the items to `created`. */
async function fill({ db, now }: Filler, admin: Admin, send: SendRequest, created: SampleItem[]): Promise<void> {
  const filling: Filling = {
    admin,
    send,
    async store(kind, id, objectId) {
      const item = { kind, id, object_id: objectId ?? null }
      const position = created.push(item) - 1
      if (!(await insertSample(db.sql, admin.workspaceId, { ...item, position })))
        throw new RefusedSample('Another request fills the workspace.')
    },
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
  for (const [name, domain, description] of SAMPLE_COMPANIES) {
    const values = { name, domains: [domain], description: description[filling.admin.language] }
    ids.push(await createRecord(filling, 'companies', values))
  }
  return ids
}

async function fillPeople(filling: Filling, companies: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const [first_name, last_name, job_title, company] of SAMPLE_PEOPLE) {
    const name = { first_name, last_name, full_name: `${first_name} ${last_name}` }
    const values = {
      name,
      job_title: job_title[filling.admin.language],
      email_addresses: [addressOf(first_name, company)],
    }
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
      name: name[admin.language],
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

async function fillNotes({ send, store, admin: { language } }: Filling, companies: readonly string[]): Promise<void> {
  for (const [title, content, company] of SAMPLE_NOTES) {
    const parent = { parent_object: 'companies', parent_record_id: companies[company] }
    const texts = { title: title[language], content: content[language] }
    const answer = await send('POST', '/notes', { ...parent, ...texts, format: 'markdown' })
    await store('note', dataOf<{ id: { note_id: string } }>(answer).id.note_id)
  }
}

async function fillTasks({ send, store, admin, timeOf }: Filling, deals: readonly string[]): Promise<void> {
  for (const [content, days, deal] of SAMPLE_TASKS) {
    const links = { linked_records: [refer('deals', deals[deal])], assignees: [memberOf(admin)] }
    const task = { format: 'plaintext', content: content[admin.language], is_completed: false, ...links }
    const answer = await send('POST', '/tasks', { ...task, deadline_at: timeOf(days, 12) })
    await store('task', dataOf<{ id: { task_id: string } }>(answer).id.task_id)
  }
}

async function fillMeetings({ send, store, admin, timeOf }: Filling, people: readonly string[]): Promise<void> {
  for (const [title, days, hour, person] of SAMPLE_MEETINGS) {
    const [firstName, , , company] = SAMPLE_PEOPLE[person]
    const meeting = {
      title: title[admin.language],
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

/**
 * Random members, teams, grants and links: what every reader shows every member, and what every writer lets them write,
 * against the rule of docs/access.md (Access to objects).
 */

import { beforeAll, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { publishAll } from '#testing/events'
import { attributeInput } from '#testing/attributes'
import { input } from '#testing/comments'
import { listInput } from '#testing/lists'
import { signedIn, type Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { taskInput } from '#testing/tasks'

const OBJECTS = ['alphas', 'betas', 'gammas']
const LEVELS = ['hidden', 'read-only', 'read-write']
const ROUNDS = 4

const service = useTestService()
const admin = usePerson(service)
let members: Person[]
let teams: string[]
let root: string
/** The record of each object, and the id of each object. */
const records: string[] = []
const objectIds: string[] = []
/** A person whose attribute `links` refers to the record of each object. */
let hub: string

beforeAll(async () => {
  root = `/console/api/workspaces/${service.workspaceId}`
  members = []
  for (let count = 0; count < 3; count++) members.push(await signedIn(service, { [service.workspaceId]: 'member' }))
  teams = []
  for (const name of ['A', 'B', 'C']) teams.push((await admin.ask('POST', `${root}/teams`, { name })).body.data.id)
  await service.appContext.models.reload(service.workspaceId)
  for (const object of OBJECTS) await fill(object)
  const allowed_objects = OBJECTS
  const config = { record_reference: { allowed_objects } }
  const links = attributeInput({ api_slug: 'links', type: 'record-reference', is_multiselect: true, config })
  await send('POST', '/objects/people/attributes', { data: links })
  const values = { links: OBJECTS.map((target_object, at) => ({ target_object, target_record_id: records[at] })) }
  hub = (await send('POST', '/objects/people/records', { data: { values } })).id.record_id
  const linked_records = OBJECTS.map((target_object, at) => ({ target_object, target_record_id: records[at] }))
  await send('POST', '/tasks', { data: taskInput({ linked_records }) })
  await publishAll(service)
})

async function send(method: string, path: string, data: unknown) {
  const { status, body } = await admin.ask(method, `/console/v2${path}`, data)
  if (status > 201) throw new Error(`${method} ${path} answered ${status}: ${body.message}`)
  return body.data
}

/** Creates an object with a record, which has a note, a comment, a folder and an entry. */
async function fill(object: string): Promise<void> {
  const nouns = { singular_noun: object, plural_noun: `${object}s` }
  objectIds.push((await send('POST', '/objects', { data: { api_slug: object, ...nouns } })).id.object_id)
  await send('POST', `/objects/${object}/attributes`, { data: attributeInput({ api_slug: 'name' }) })
  const values = { name: `zebra ${object}` }
  const record_id = (await send('POST', `/objects/${object}/records`, { data: { values } })).id.record_id
  records.push(record_id)
  const parent = { parent_object: object, parent_record_id: record_id }
  await send('POST', '/notes', { data: { ...parent, title: `zebra ${object}`, format: 'plaintext', content: '' } })
  const author = input(admin.memberIds[service.workspaceId] ?? '')
  await send('POST', '/comments', { data: { ...author, record: { object, record_id } } })
  await send('POST', '/files', { object, record_id, file_type: 'folder', name: object })
  await send('POST', '/lists', { data: listInput({ api_slug: `list_of_${object}`, parent_object: object }) })
  await send('POST', `/lists/list_of_${object}/entries`, { data: { ...parent, entry_values: {} } })
}

interface Grants {
  readonly members: string
  readonly teams: { readonly team_id: string; readonly access: string }[]
}

/** The rule: the greatest of the grants of the member's teams, otherwise the grant of all members. */
function expectedAccess({ members: forAll, teams: forTeams }: Grants, own: readonly string[]): string {
  const granted = forTeams.filter(({ team_id }) => own.includes(team_id)).map(({ access }) => access)
  return LEVELS.findLast((level) => granted.includes(level)) ?? forAll
}

type Read = (by: Person) => Promise<unknown>

/** An attribute that vanished is an error of SQL. */
const ask = async (by: Person, ...request: Parameters<Person['ask']>): Promise<unknown> => {
  const { status, body } = await by.ask(...request)
  if (status >= 500) throw new Error(`${request[1]} answered ${status}: ${body.message}`)
  return body
}

const get =
  (path: string): Read =>
  (by) =>
    ask(by, 'GET', `/console/v2${path}`)
const post =
  (path: string, body: object): Read =>
  (by) =>
    ask(by, 'POST', `/console/v2${path}`, body)

/** Each response has the slug or an id of every object that the member may see. */
const READERS: Record<string, Read> = {
  objects: get('/objects'),
  lists: get('/lists'),
  notes: get('/notes?limit=50'),
  'notes by title': get('/notes?search=zebra&limit=50'),
  tasks: get('/tasks'),
  feed: get('/events?limit=1000'),
  record: (by) => get(`/objects/people/records/${hub}`)(by),
  query: post('/objects/people/records/query', {}),
  history: (by) => get(`/objects/people/records/${hub}/attributes/links/values?show_historic=true`)(by),
  attribute: get('/objects/people/attributes'),
  sql: post('/sql', { sql: 'select links from people' }),
  tables: post('/sql', { sql: 'select * from information_schema.tables' }),
  access: (by) => ask(by, 'GET', `${root}/object-access`),
}

/** Whether the answer names the object, its list or its record. */
const shows = (answer: unknown, at: number): boolean => {
  const text = JSON.stringify(answer)
  return [OBJECTS[at], objectIds[at], records[at]].some((name) => text.includes(name ?? ''))
}

/** Requests that read one object. The status of the response is 404 if the object is hidden from the member. */
const NAMED: ((object: string, record: string) => Parameters<Person['ask']>)[] = [
  (object) => ['GET', `/console/v2/objects/${object}`],
  (object) => ['GET', `/console/v2/lists/list_of_${object}`],
  (object, record) => ['GET', `/console/v2/objects/${object}/records/${record}`],
  (object, record) => ['GET', `/console/v2/objects/${object}/records/${record}/activity`],
  (object) => ['POST', `/console/v2/objects/${object}/records/query`, {}],
  (object) => ['POST', `/console/v2/lists/list_of_${object}/entries/query`, {}],
  (object, record) => ['GET', `/console/v2/threads?object=${object}&record_id=${record}`],
  (object) => ['POST', '/console/v2/sql', { sql: `select name from ${object}` }],
]

/** A write that changes nothing but is refused like one that does. */
const write = (object: string, record: string): Parameters<Person['ask']> => [
  'PATCH',
  `/console/v2/objects/${object}/records/${record}`,
  { data: { values: { name: `zebra ${object}` } } },
]

const level = fc.constantFrom(...LEVELS)

/** For each member, the positions of the member's teams; for each object, its grants. */
const situation = fc.record({
  teamsOf: fc.array(fc.subarray([0, 1, 2]), { minLength: 3, maxLength: 3 }),
  grants: fc.array(
    fc.record({ members: level, teams: fc.dictionary(fc.constantFrom('0', '1', '2'), level, { maxKeys: 2 }) }),
    { minLength: OBJECTS.length, maxLength: OBJECTS.length },
  ),
})

type Situation = typeof situation extends fc.Arbitrary<infer Value> ? Value : never

/** The pairs of a team and a member who is in it, by position. */
const joined = new Set<string>()

/** Returns the access of each member to each object. */
async function arrange({ teamsOf, grants }: Situation): Promise<string[][]> {
  for (const [at, team] of teams.entries()) {
    for (const [index, { memberIds }] of members.entries()) {
      const isIn = teamsOf[index]?.includes(at) === true
      if (isIn === joined.has(`${at} ${index}`)) continue
      joined[isIn ? 'add' : 'delete'](`${at} ${index}`)
      await admin.ask(isIn ? 'PUT' : 'DELETE', `${root}/teams/${team}/members/${memberIds[service.workspaceId]}`)
    }
  }
  const given = grants.map(({ members: forAll, teams: forTeams }) => ({
    members: forAll,
    teams: Object.entries(forTeams).map(([at, access]) => ({ team_id: teams[Number(at)] ?? '', access })),
  }))
  for (const [at, body] of given.entries())
    expect((await admin.ask('PUT', `${root}/objects/${OBJECTS[at]}/access`, body)).status).toBe(200)
  return teamsOf.map((own) =>
    given.map((each) =>
      expectedAccess(
        each,
        own.map((at) => teams[at] ?? ''),
      ),
    ),
  )
}

const STATUS_OF_WRITE: Readonly<Record<string, number>> = { hidden: 404, 'read-only': 403, 'read-write': 200 }

async function check(person: Person, access: readonly string[]): Promise<void> {
  for (const [name, read] of Object.entries(READERS)) {
    const answer = await read(person)
    const shown = OBJECTS.map((_, at) => shows(answer, at))
    expect([name, ...shown]).toEqual([name, ...access.map((each) => each !== 'hidden')])
  }
  for (const [at, object] of OBJECTS.entries()) {
    for (const named of NAMED) {
      const request = named(object, records[at] ?? '')
      const isFound = (await person.ask(...request)).status === 200
      expect([request[1], isFound]).toEqual([request[1], access[at] !== 'hidden'])
    }
    const { status } = await person.ask(...write(object, records[at] ?? ''))
    expect([object, access[at], status]).toEqual([object, access[at], STATUS_OF_WRITE[access[at] ?? ''] ?? 0])
  }
}

test('every reader and writer follows the rule, for every member', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async (given) => {
      const access = await arrange(given)
      await Promise.all(members.map((member, at) => check(member, access[at] ?? [])))
    }),
    { numRuns: ROUNDS, seed: 1 },
  )
  await check(
    admin,
    OBJECTS.map(() => 'read-write'),
  )
})

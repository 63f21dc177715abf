/**
 * The floor: the least a program in this stack can do for the same requests and about the same answers. A bare server,
 * hand-written SQL on tables made for these people, rows into objects into JSON. It has no tokens, validates nothing and
 * can do nothing else. `floor/main.ts <url> <port> <connections>`
 */

import postgres from 'postgres'
import type { Sql } from '#db/connect'
import { floorEmails } from './emails'
import { floorEntries } from './entries'
import { floorFiles } from './files'
import { floorNotes } from './notes'
import { floorMeetings } from './meetings'
import { floorRecordings } from './recordings'
import { renderPerson, type FloorContext, type FloorOption, type PersonRow } from './person'
import { floorTasks } from './tasks'
import { floorQuery, type QueryBody } from './queries'
import { floorThreads } from './threads'
import { floorStatements, type Values } from './statements'

const [url = '', port, connections] = process.argv.slice(2)
const text = { to: 1184, from: [1082, 1114, 1184], serialize: String, parse: String }
const sql = postgres(url, {
  max: Number(connections),
  types: { text },
  connection: { TimeZone: 'UTC' },
}) as unknown as Sql // the same driver

const actors = await sql<{ number: number; type: string; id: string }[]>`select * from floor.actors`
const options = await sql<FloorOption[]>`select * from floor.options`
const context: FloorContext = {
  workspaceId: crypto.randomUUID(),
  objectId: crypto.randomUUID(),
  actors: new Map(actors.map(({ number, type, id }) => [number, { type, id }])),
  options: new Map(options.map((option) => [option.number, option])),
}
const people = floorStatements(sql, actors[0]?.number ?? 0)

const one = ([row]: PersonRow[]): Response =>
  row ? json({ data: renderPerson(row, context) }) : new Response(null, { status: 404 })
const json = (value: unknown): Response =>
  new Response(JSON.stringify(value), { headers: { 'Content-Type': 'application/json; charset=utf-8' } })
const count = async (): Promise<number> => Number((await sql`select count(*) from floor.people`)[0]?.count)
/** The bench sends only well-formed bodies. */
const bodyOf = async (request: Request) => (await request.json()) as { data: { values: Values } } // unchecked

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  routes: {
    ...(await floorEntries(sql, context, actors[0]?.number ?? 0)),
    ...floorThreads(sql, context),
    ...floorNotes(sql, context, actors[0]?.number ?? 0),
    ...(await floorTasks(sql, context)),
    ...floorMeetings(sql, context),
    ...floorFiles(sql, context),
    ...floorEmails(sql, context),
    ...floorRecordings(sql, context),
    '/v2/objects/people/records': {
      POST: async (request) => one(await people.create((await bodyOf(request)).data.values)),
      PUT: async (request) => {
        const { values } = (await bodyOf(request)).data
        return one(await people.changeTitleByEmail(values.email_addresses[0] ?? '', values.job_title))
      },
    },
    '/v2/objects/people/records/query': {
      POST: async (request) => {
        const body = (await request.json()) as QueryBody // as above
        const { text, parameters } = floorQuery(body, context.options)
        const [rows, pagination] = await Promise.all([
          people.run(text, parameters),
          body.include_count ? { total: await count() } : undefined,
        ])
        return json({ data: rows.map((row) => renderPerson(row, context)), pagination })
      },
    },
    '/v2/objects/people/records/:id': {
      GET: async (request) => one(await people.get(request.params.id)),
      PATCH: async (request) => {
        const { values } = (await bodyOf(request)).data
        const { id } = request.params
        if (values.job_title) return one(await people.changeTitle(id, values.job_title))
        return one(await people.addEmail(id, values.email_addresses[0] ?? ''))
      },
    },
  },
})
console.log(`The floor listens on ${port}.`)

/**
 * The simplest program that delivers: reads messages from a table, sends as many concurrently with the same client, inserts a
 * row for each attempt. It has no leases, order, signatures or retries. Responds with messages per second.
 */

import { connect } from '#db/connect'

const [url = '', target = '', count = '0', lanes = '1'] = process.argv.slice(2)
const db = connect(url, { max: 10, applicationName: 'floor' })
await db.sql`create table if not exists floor_messages (id bigint primary key, body text not null, done boolean not null default false)`
await db.sql`create table if not exists floor_attempts (message_id bigint not null, at timestamptz not null, status int not null)`
await db.sql`truncate floor_messages, floor_attempts`
await db.sql`insert into floor_messages select i, repeat('x', 350) from generate_series(1, ${Number(count)}::int) i`

let done: { id: string; at: string; status: number }[] = []
let writing: Promise<unknown> = Promise.resolve()

async function keep(): Promise<void> {
  const rows = JSON.stringify(done)
  done = []
  await db.sql`
    with d as (select * from json_to_recordset(${rows}::text::json) as d(id bigint, at timestamptz, status int)),
      marked as (update floor_messages m set done = true from d where m.id = d.id)
    insert into floor_attempts select id, at, status from d`
}

const begun = performance.now()
const cpu = process.cpuUsage()
let after = 0
let waiting: { id: string; body: string }[] = []

/** Returns the next message. Reads batches one after the other. */
async function next(): Promise<{ id: string; body: string } | undefined> {
  if (waiting.length === 0) {
    reading ??= db.sql<{ id: string; body: string }[]>`
      select id, body from floor_messages where id > ${after} order by id limit 1000`.then((rows) => {
      waiting = [...rows]
      after = Number(rows.at(-1)?.id ?? after)
      reading = undefined
    })
    await reading
  }
  return waiting.shift()
}
let reading: Promise<void> | undefined

async function lane(): Promise<void> {
  for (let message = await next(); message !== undefined; message = await next()) {
    const answer = await fetch(target, {
      method: 'POST',
      body: message.body,
      headers: { 'Content-Type': 'application/json' },
    })
    await answer.bytes()
    done.push({ id: message.id, at: new Date().toISOString(), status: answer.status })
    if (done.length >= 200) writing = writing.then(keep)
  }
}

await Promise.all(Array.from({ length: Number(lanes) }, lane))
await writing
await keep()
const seconds = (performance.now() - begun) / 1000
const { user, system } = process.cpuUsage(cpu)
console.log(JSON.stringify({ perSecond: Number(count) / seconds, cpuMicros: (user + system) / Number(count) }))
await db.close()

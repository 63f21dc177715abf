/**
 * Fills a workspace with companies and people and says how fast that went, as a process of its own: `import.ts <url>
 * <workspace slug> <people>`. It goes the way of every write (parsed, resolved, written in batches), without HTTP; the
 * only part of the bench that reaches into the service.
 */

import { connect, type Database } from '../../db/connect'
import { createMember } from '../../server/access/members'
import { getObject } from '../../server/data-model/find'
import { loadDataModel } from '../../server/data-model/load'
import type { DataModel } from '../../server/data-model/model'
import { systemClock } from '../../server/time'
import { createMany } from '../../server/values/create-holder'
import { idOf } from '../../server/values/layout'
import { parseValues } from '../../server/values/parse'
import { resolveAssignments } from '../../server/values/resolve'
import { createWorkspace } from '../../server/workspaces/create-workspace'
import { companiesFor, company, PEOPLE_PER_COMPANY, person } from './people'

/** What one line of JSON at the end of the output says. */
export interface ImportOutcome {
  /** Of people, the larger part. */
  readonly rows: number
  readonly seconds: number
  readonly rss_start: number
  readonly rss_end: number
}

const BATCH = 500
const CONNECTIONS = 2

const now = systemClock()

if (import.meta.main) {
  const [url = '', slug = '', people = '0'] = process.argv.slice(2)
  const db = connect(url, { max: CONNECTIONS, applicationName: 'bench import' })
  console.log(JSON.stringify(await fill(db, slug, Number(people))))
  await db.close()
}

async function fill(db: Database, slug: string, people: number): Promise<ImportOutcome> {
  const { model, actor } = await openWorkspace(db, slug)
  const write = writer(db, model, actor)
  const companies: string[] = []
  await inBatches(companiesFor(people), async (from, to) => {
    const ids = await write('companies', range(from, to, company))
    ids.forEach((id, offset) => (companies[from + offset] = id))
  })

  const rss_start = process.memoryUsage.rss()
  const begun = performance.now()
  await inBatches(people, async (from, to) => {
    const rows = range(from, to, (index) => ({
      ...person(index),
      company: { target_object: 'companies', target_record_id: companies[Math.floor(index / PEOPLE_PER_COMPANY)] },
    }))
    await write('people', rows)
  })
  const seconds = (performance.now() - begun) / 1000
  return { rows: people, seconds, rss_start, rss_end: process.memoryUsage.rss() }
}

/** The workspace with this slug, made when there is none; and somebody to be the author. */
async function openWorkspace(db: Database, slug: string): Promise<{ model: DataModel; actor: number }> {
  const [known] = await db.sql<{ id: string }[]>`select id from relata.workspaces where slug = ${slug}`
  const { id } = known ?? (await createWorkspace(db, { name: slug, slug, now: now() }))
  const author = { first_name: 'Ida', last_name: 'Import', access_level: 'admin', account_id: null } as const
  const member = await createMember(db, id, { ...author, email_address: `import@${slug}.example` }, now())
  const model = await loadDataModel(db, id)
  const actor = model.membersById.get(member.id)?.actor
  if (actor === undefined) throw new Error('A member who was just made is not in the data model.')
  return { model, actor }
}

/** Writes records in one statement and gives their ids, in order. */
function writer(db: Database, model: DataModel, actor: number) {
  // Who is referred to was written a moment ago; the statement itself makes sure of it once more.
  const lookup = { recordExists: async () => true, findRecordByKey: async () => undefined }
  return async (slug: string, rows: readonly Record<string, unknown>[]): Promise<string[]> => {
    const object = getObject(model, slug)
    const contents = []
    for (const values of rows) {
      const parsed = parseValues(model, object, values, { member: 'values', appends: false })
      contents.push({ id: Bun.randomUUIDv7(), assignments: await resolveAssignments(model, parsed, lookup) })
    }
    const written = await createMany(db.sql, model, object, contents, { now: now(), actor })
    if (written.length !== rows.length) throw new Error(`${rows.length - written.length} of ${slug} were not written.`)
    return written.map(idOf)
  }
}

/** As many batches at once as there are connections: one is parsed while PostgreSQL writes another. */
async function inBatches(total: number, work: (from: number, to: number) => Promise<void>): Promise<void> {
  let next = 0
  const take = async () => {
    while (next < total) {
      const from = next
      next += BATCH
      await work(from, Math.min(from + BATCH, total))
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, take))
}

function range<T>(from: number, to: number, make: (index: number) => T): T[] {
  return Array.from({ length: to - from }, (_, offset) => make(from + offset))
}

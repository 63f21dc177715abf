/**
 * The floors of the object `wide`: a bare server with statements written by hand. The plain floor answers rows as JSON; the
 * other one answers the members that the service answers. `wide/floor.ts <url> <port> <connections> plain|members`
 */

import { connect } from '#db/connect'
import { NUMBERS, TEXTS, type WideValues } from './rows'
import { COLUMNS, COLUMN_TYPES } from './tables'
import { RECORDS } from './workloads'

type WideRow = WideValues & { readonly id: string; readonly created_at: string; readonly created_by: number }

const [url = '', port, connections, form] = process.argv.slice(2)
const { sql } = connect(url, { max: Number(connections), applicationName: 'floor' })

const WHOLE = COLUMNS.join(', ')
const GET = `select ${WHOLE} from floor.wide where id = $1`
const PATCH = `update floor.wide set score = $2 where id = $1 returning ${WHOLE}`
const CREATE = `insert into floor.wide (${WHOLE}) values (${COLUMNS.map((_, index) => `$${index + 1}`).join(', ')}) returning ${WHOLE}`
const FROM_JSON = `json_to_recordset($1::text::json) as v (${COLUMN_TYPES.join(', ')})`
const BATCH = {
  create: `insert into floor.wide (${WHOLE}) select ${WHOLE} from ${FROM_JSON} returning id`,
  update: `update floor.wide w set score = v.score from ${FROM_JSON} where w.id = v.id returning w.id`,
  upsert: `insert into floor.wide (${WHOLE}) select ${WHOLE} from ${FROM_JSON}
    on conflict (email) do update set score = excluded.score returning id`,
} as const
const PAGE = `
  select ${WHOLE} from floor.wide where status = $1 and score > $2::float8 order by created_at desc, id limit $3`

const run = async (statement: string, parameters: readonly unknown[]) =>
  (await sql.unsafe(statement, parameters as never[], { prepare: true })) as unknown as WideRow[] // `WHOLE` rows
/** The bench sends only well-formed bodies. */
const bodyOf = async <T>(request: Request) => (await request.json()) as T // unchecked
interface WriteBody {
  readonly data: { readonly values: WideValues }
}
interface BatchOperation {
  readonly op: keyof typeof BATCH
  readonly record_id?: string
  readonly values: WideValues
}
interface BatchBody {
  readonly data: { readonly operations: readonly BatchOperation[] }
}
interface PageBody {
  readonly filter: { readonly status: string; readonly score: { readonly $gt: number } }
  readonly limit: number
}

const render = form === 'plain' ? (row: WideRow): object => row : withMembers
const one = ([row]: WideRow[]): Response => (row ? json({ data: render(row) }) : new Response(null, { status: 404 }))
const json = (value: unknown): Response =>
  new Response(JSON.stringify(value), { headers: { 'Content-Type': 'application/json; charset=utf-8' } })

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  routes: {
    [RECORDS]: {
      POST: async (request: Request) => {
        const made = newRow((await bodyOf<WriteBody>(request)).data.values)
        return one(
          await run(
            CREATE,
            COLUMNS.map((column) => made[column]),
          ),
        )
      },
    },
    [`${RECORDS}/batch`]: {
      POST: async (request: Request) => {
        const { operations } = (await bodyOf<BatchBody>(request)).data
        const [first] = operations
        const rows = operations.map(({ op, record_id, values }) =>
          op === 'update' ? { ...values, id: record_id } : newRow(values),
        )
        // In one order, so that concurrent batches do not wait for each other in a circle.
        const keyOf = ({ id, email }: (typeof rows)[number]) => String(first?.op === 'update' ? id : email)
        rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
        const written = await run(BATCH[first?.op ?? 'create'], [JSON.stringify(rows)])
        const results = written.map(({ id }) => ({ status: 200, data: { id: idsOf(id) } }))
        return json({ data: { succeeded: results.length, failed: 0, results } })
      },
    },
    [`${RECORDS}/query`]: {
      POST: async (request: Request) => {
        const { filter, limit } = await bodyOf<PageBody>(request)
        const rows = await run(PAGE, [filter.status, filter.score.$gt, limit])
        return json({ data: rows.map(render) })
      },
    },
    [`${RECORDS}/:id`]: {
      GET: async ({ params }: Bun.BunRequest<string>) => one(await run(GET, [idIn(params)])),
      PATCH: async (request: Bun.BunRequest<string>) => {
        const { values } = (await bodyOf<WriteBody>(request)).data
        return one(await run(PATCH, [idIn(request.params), values.score]))
      },
    },
  },
})
console.log(`The floor listens on ${port}.`)

function idIn(params: Readonly<Record<string, string | undefined>>): string {
  return params.id ?? ''
}

const newRow = (values: WideValues): Readonly<Record<string, unknown>> => ({
  ...values,
  id: Bun.randomUUIDv7(),
  created_at: new Date().toISOString(),
  created_by: 0,
})

const idsOf = (id: string) => ({ workspace_id: id, object_id: id, record_id: id })

function withMembers(row: WideRow): object {
  const created_at = row.created_at
  const value = (attribute_type: string, members: object) => [
    {
      active_from: created_at,
      active_until: null,
      created_by_actor: { type: 'system', id: null },
      ...members,
      attribute_type,
    },
  ]
  const valuesOf = (slugs: readonly (keyof WideRow)[], type: string) =>
    Object.fromEntries(slugs.map((slug) => [slug, value(type, { value: row[slug] })]))
  return {
    id: idsOf(row.id),
    created_at,
    web_url: `http://localhost:8080/my-workspace/wide/record/${row.id}`,
    values: {
      record_id: value('text', { value: row.id }),
      created_at: value('timestamp', { value: created_at }),
      created_by: value('actor-reference', { referenced_actor_type: 'system', referenced_actor_id: null }),
      ...valuesOf(TEXTS, 'text'),
      ...valuesOf(NUMBERS, 'number'),
      email: value('email-address', emailOf(row.email)),
    },
  }
}

function emailOf(email: string): object {
  const [local, domain] = email.split('@')
  return {
    original_email_address: email,
    email_address: email,
    email_domain: domain,
    email_root_domain: domain,
    email_local_specifier: local,
  }
}

/**
 * Prints the files of the service whose functions the update of a record runs, in the order of their first calls: from the handler of
 * its route to the recorded attempt of the webhook's delivery, in a process whose caches are filled. The last line is the number of
 * returns: first calls of functions in files that the update had left.
 * See docs/architecture.md (The files of an update).
 */

import { relative, resolve } from 'node:path'
import ts from 'typescript'

const ROOT = resolve(import.meta.dir, '../..')
const HANDLER = 'server/api/entities/routes.ts'
/** So many updates fill the caches. */
const EARLIER_UPDATES = 5
/** What runs only at intervals is not in all of them. */
const MEASURED_UPDATES = 5

/** The functions that were called, in the order of their first calls, with their files. */
let calls = new Map<string, string>()

Object.assign(globalThis, { recordCall: (file: string, fn: string) => calls.has(fn) || calls.set(fn, file) })

// Before the imports below, whose calls it records.
Bun.plugin({
  name: 'records calls of functions',
  setup(build) {
    build.onLoad({ filter: /\/(?:server|db)\/.*\.ts$/ }, async ({ path }) => ({
      contents: recordingCalls(relative(ROOT, path), await Bun.file(path).text()),
      loader: 'ts',
    }))
  },
})

/** The source text with a call of `recordCall` at the beginning of each function. */
function recordingCalls(file: string, source: string): string {
  const insertions: { readonly at: number; readonly text: string }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const call = `recordCall(${JSON.stringify(file)}, ${JSON.stringify(`${file}:${node.pos}`)})`
      if (ts.isBlock(node.body)) insertions.push({ at: node.body.getStart() + 1, text: `${call};` })
      else insertions.push({ at: node.body.getStart(), text: `(${call}, ` }, { at: node.body.end, text: ')' })
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true))
  const positions = [0, ...insertions.toSorted((a, b) => a.at - b.at).map(({ at }) => at)]
  const texts = ['', ...insertions.toSorted((a, b) => a.at - b.at).map(({ text }) => text)]
  return positions.map((at, index) => texts[index] + source.slice(at, positions[index + 1])).join('')
}

const { testService } = await import('./service')
const { createRequestLimiter } = await import('#api/http/concurrency/request-limiter')
const { runEventPipeline } = await import('#events/webhooks/event-pipeline')
const { createSend } = await import('#events/webhooks/send/send-request')
const { createTargetPolicy } = await import('#events/webhooks/send/target')

const service = await testService({}, () => ({ concurrency: createRequestLimiter(10) }))
const { db, appContext, request } = service
const receiver = Bun.serve({ port: 0, fetch: () => new Response() })
const events = await runEventPipeline({
  db,
  now: appContext.now,
  sending: {
    send: createSend(createTargetPolicy({ allowPrivate: true }), 5000),
    brand: 'relata',
    docsUrl: 'http://localhost/docs',
    perSecond: 0,
  },
  days: 30,
})
Object.assign(appContext, { events })

const subscriptions = [{ event_type: 'record.updated', filter: null }]
const webhook = await request('POST', '/v2/webhooks', { data: { target_url: 'https://example.com/', subscriptions } })
await db.sql`update relata.webhooks set target_url = ${receiver.url.href}`
const created = await request('POST', '/v2/objects/people/records', { data: { values: {} } })
const path = `/v2/objects/people/records/${created.body.data.id.record_id}`

/** Updates the record, and returns the calls until the attempt is recorded. */
async function callsOfUpdate(job_title: string): Promise<Map<string, string>> {
  const { promise: recorded, resolve } = Promise.withResolvers<void>()
  const unsubscribe = events.streams.subscribe(webhook.body.data.id.webhook_id, () => resolve())
  calls = new Map()
  await Promise.all([request('PATCH', path, { data: { values: { job_title } } }), recorded])
  unsubscribe()
  return calls
}

const updates: Map<string, string>[] = []
for (let number = 0; number < EARLIER_UPDATES + MEASURED_UPDATES; number++)
  updates.push(await callsOfUpdate(`Engineer ${number}`))

const measured = updates.slice(EARLIER_UPDATES)
/** The files of the functions that each of the updates called, in the order of their first calls in one of them. */
const enteredBy = (calls: Map<string, string>): string[] => {
  const inAll = [...calls].filter(([fn]) => measured.every((each) => each.has(fn))).map(([, file]) => file)
  return inAll.slice(inAll.indexOf(HANDLER)).filter((file) => !file.startsWith('server/testing/'))
}
/** How often the first call of a function is in a file that the update had left. */
const returnsIn = (entered: readonly string[]): number =>
  entered.filter((file, index) => file !== entered[index - 1] && entered.indexOf(file) < index).length

const entered = measured.map(enteredBy)
console.log([...new Set(entered[0])].join('\n'))
// Steps that run beside each other have another order in each update.
console.log(`${Math.min(...entered.map(returnsIn))} returns`)

await events.stop()
await receiver.stop(true)
await service.close()

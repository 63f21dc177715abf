/** Random writes of every kind to few records: single ones, batches, dry runs, jobs, imports, entries, purges, SCIM and the data model. */

import fc from 'fast-check'
import type { Answer, Request } from '../../support/http/client'
import { type RecordIds, send, toOperation, type Write, writes } from '../../support/fixtures/random-writes'

export type SoakWrite =
  | { readonly kind: 'single'; readonly write: Write }
  | { readonly kind: 'dry run'; readonly write: Write }
  | { readonly kind: 'batch'; readonly writes: readonly Write[]; readonly atomic: boolean; readonly isRetried: boolean }
  | { readonly kind: 'job'; readonly name: string; readonly newName: string | undefined }
  | { readonly kind: 'purge' | 'entry' | 'patch entry' | 'delete entry'; readonly record: number }
  | { readonly kind: 'import'; readonly codes: readonly string[] }
  | { readonly kind: 'user'; readonly number: number }
  | { readonly kind: 'model'; readonly title: string }

const name = fc.constantFrom('x', 'y', 'z')
const record = fc.nat(50)
const kind = <const K extends string>(value: K) => fc.constant(value)

export const soakWrites: fc.Arbitrary<SoakWrite> = fc.oneof(
  { weight: 24, arbitrary: fc.record({ kind: kind('single'), write: writes }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('dry run'), write: writes }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('batch'),
      writes: fc.array(
        writes.filter(({ verb }) => verb !== 'merge' && verb !== 'restore'),
        { minLength: 2, maxLength: 12 },
      ),
      atomic: fc.boolean(),
      isRetried: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind('job'), name, newName: fc.option(name, { nil: undefined, freq: 3 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'purge' as const,
        'entry' as const,
        'entry' as const,
        'patch entry' as const,
        'delete entry' as const,
      ),
      record,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind('import'),
      codes: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'q', 'r', 's', 't'), { minLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('user'), number: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('model'), title: name }) },
)

export interface SoakState {
  readonly request: Request
  readonly known: RecordIds
  readonly entries: string[]
  /** Imports a CSV file. Returns the exit code. */
  importCsv(csv: string): Promise<number>
}

const ALPHA = '/v2/objects/alpha/records'
const ENTRIES = '/v2/lists/soak/entries'

/** Sends one write. Returns the status and the code of the response, or of each operation. */
export async function sendSoakWrite(state: SoakState, write: SoakWrite): Promise<readonly string[]> {
  const { request, known } = state
  if (write.kind === 'single') return [await send(request, known, write.write)]
  if (write.kind === 'dry run') return [await dryRun(state, write.write)]
  if (write.kind === 'batch') return sendBatch(state, write)
  if (write.kind === 'job') return [await createJob(request, write)]
  if (write.kind === 'import')
    return [
      `import ${await state.importCsv(['code,name', ...write.codes.map((code) => `${code},imported`)].join('\n'))}`,
    ]
  if (write.kind === 'user') return [await writeUser(request, write.number)]
  if (write.kind === 'model')
    return [outcome(await request('PATCH', '/v2/objects/alpha/attributes/name', { data: { title: write.title } }))]
  return [await writeEntry(state, write)]
}

/** Must have no effect, so the records that it seems to create or delete are not remembered. */
function dryRun({ request, known }: SoakState, write: Write): Promise<string> {
  const dry: Request = (method, path, ...rest) =>
    request(method, method === 'GET' ? path : `${path}${path.includes('?') ? '&' : '?'}dry_run=true`, ...rest)
  return send(dry, { alpha: [...known.alpha], beta: [...known.beta] }, write)
}

const NOWHERE = '01890a5d-ac96-774b-bcce-b302099a8057'
const pick = (ids: readonly string[], number: number): string => ids[number % ids.length] ?? NOWHERE

async function writeEntry({ request, known, entries }: SoakState, write: { kind: string; record: number }) {
  const record = pick(known.alpha, write.record)
  if (write.kind === 'purge') return outcome(await request('DELETE', `${ALPHA}/${record}?permanent=true`))
  const entry = `${ENTRIES}/${pick(entries, write.record)}`
  if (write.kind === 'delete entry') return outcome(await request('DELETE', entry))
  const entry_values = { text: `${write.record}`, code: `${write.record % 5}` }
  if (write.kind === 'patch entry') return outcome(await request('PATCH', entry, { data: { entry_values } }))
  const { code: _code, ...withoutCode } = entry_values
  const data = { parent_object: 'alpha', parent_record_id: record, entry_values: withoutCode }
  const answer = await request(write.record % 2 ? 'POST' : 'PUT', ENTRIES, { data })
  if (answer.status === 200) entries.push(answer.body.data.id.entry_id)
  return outcome(answer)
}

let keys = 0

/** A batch takes the writes of one object. A retried one is sent twice at the same time with one idempotency key. */
async function sendBatch(
  { request, known }: SoakState,
  { writes, atomic, isRetried }: Extract<SoakWrite, { kind: 'batch' }>,
): Promise<readonly string[]> {
  const object = writes[0]?.object ?? 'alpha'
  const ofObject = writes.filter((write) => write.object === object)
  const path = `/v2/objects/${object}/records/batch`
  const body = { data: { atomic, operations: ofObject.map((write) => toOperation(known, write)) } }
  const headers = { 'Idempotency-Key': `soak-${++keys}` }
  const answers = isRetried
    ? await Promise.all([1, 2].map(() => request('POST', path, body, { headers })))
    : [await request('POST', path, body)]
  for (const { status, body: answer } of answers) {
    if (status !== 200) continue
    for (const { data } of answer.data.results)
      if (data && !known[object].includes(data.id.record_id)) known[object].push(data.id.record_id)
  }
  return answers.flatMap((answer) =>
    answer.status === 200
      ? answer.body.data.results.map(({ status, error }: { status: number; error?: { code: string } }) =>
          error === undefined ? String(status) : `${status} ${error.code}`,
        )
      : [outcome(answer)],
  )
}

async function createJob(request: Request, { name, newName }: Extract<SoakWrite, { kind: 'job' }>): Promise<string> {
  const operation = newName === undefined ? { op: 'delete' } : { op: 'update', values: { name: newName } }
  return outcome(await request('POST', `${ALPHA}/bulk`, { data: { filter: { name }, operation } }))
}

async function writeUser(request: Request, number: number): Promise<string> {
  const userName = `soak${number}@relata.dev`
  const name = { givenName: 'Soak', familyName: String(number) }
  return outcome(await request('POST', '/scim/v2/Users', { schemas: [USER_SCHEMA], userName, name, active: true }))
}

const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'

const outcome = ({ status, body }: Answer): string =>
  status < 300 ? String(status) : `${status} ${body.code ?? body.scimType}`

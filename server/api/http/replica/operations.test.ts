/** Which operations read on the replica. Here it is the primary itself. */

import { beforeAll, expect, test } from 'bun:test'
import type { Database } from '#db/connect'
import { createSqlRunner } from '#engine/sql/run/sql-runner'
import { allOperations, isRead, type Operation } from '#testing/operations'
import { useTestService } from '#testing/use-service'
import { fillAttachments } from '#testing/whole-workspace/fill-attachments'
import { fillModel } from '#testing/whole-workspace/fill-model'
import { type FilledRecords, fillRecords } from '#testing/whole-workspace/fill-records'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import type { Replica } from './replica'

/** The operation that runs, and those that have read on the replica or stored a write. */
let running = ''
const reading = new Set<string>()
const writing = new Set<string>()

const service = useTestService({}, (db, _, url) => ({
  replica: countingReplica(db),
  // Both addresses lead to the same server.
  sqlRunner: createSqlRunner({ db, url, replicaUrl: `${url}?`, connections: 4, timeoutMs: 30_000 }),
}))
let operations: Operation[]
let ids: Readonly<Record<string, string>>
let memberKey: string

function countingReplica(db: Database): Replica {
  return {
    accessOf: () => ({
      isAllowed: async () => true,
      run(send) {
        reading.add(running)
        return send(db)
      },
    }),
    run: (send) => send(db),
    storeWrite: async () => void writing.add(running),
    state: () => ({ status: 'used', lagSeconds: 0, reads: { replica: 0, own_write: 0, not_used: 0, failed: 0 } }),
    close: async () => {},
  }
}

beforeAll(async () => {
  await fillModel(service)
  const records = await fillRecords(service)
  await fillAttachments(service, records)
  operations = await allOperations(service)
  ids = await idsOf(records)
  memberKey = await service.memberKeyWith(READ_WRITE_SCOPES)
  reading.clear()
  writing.clear()
})

/** Values of the parameters of paths. */
async function idsOf({ ada, entry }: FilledRecords): Promise<Record<string, string>> {
  const first = async (path: string) => (await service.request('GET', `/v2${path}`)).body.data[0].id
  const { meeting_id } = await first('/meetings')
  const { call_recording_id } = await first(`/meetings/${meeting_id}/call_recordings`)
  return { object: 'people', record_id: ada, list: 'fleet', entry_id: entry, meeting_id, call_recording_id }
}

/** Only for tokens that act for a member. */
const OF_MEMBERS = /^\/v2\/emails\/sen[dt]/

const QUERIES: Readonly<Record<string, string>> = {
  listFiles: '?object=people&record_id={record_id}',
  listThreads: '?object=people&record_id={record_id}',
  listEmails: '?email_address=ada@example.com',
}

const BODIES: Readonly<Record<string, object>> = {
  '/search': { query: 'ada', objects: ['people'], request_as: { type: 'workspace' } },
  '/aggregate': {},
  '/sql': { sql: 'select 1' },
}

async function send({ id, method, template }: Operation): Promise<void> {
  const filled = `${template}${QUERIES[id] ?? ''}`.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => ids[name] ?? (name === 'target' ? 'objects' : '11111111-1111-4111-8111-111111111111'),
  )
  const [, body = {}] = Object.entries(BODIES).find(([end]) => template.endsWith(end)) ?? []
  running = id
  const key = OF_MEMBERS.test(template) ? memberKey : service.key
  await service.request(method, filled, method === 'GET' ? undefined : body, { key })
}

test('queries, searches, exports, aggregates, lists and the feed read on the replica', async () => {
  for (const operation of operations.filter(isRead)) if (!/stream/i.test(operation.id)) await send(operation)
  expect([...reading].toSorted()).toEqual([
    'aggregateEntries',
    'aggregateRecords',
    'exportEntries',
    'exportRecords',
    'listCallRecordings',
    'listEmails',
    'listEvents',
    'listFiles',
    'listMeetings',
    'listNotes',
    'listRecordActivity',
    'listTasks',
    'queryEntries',
    'queryRecords',
    'querySql',
    'searchCallRecordings',
    'searchRecords',
  ])
})

test('no write reads there, and each one is stored as a write of its caller', async () => {
  reading.clear()
  writing.clear()
  const writes = operations.filter((operation) => !isRead(operation) && operation.scopes !== undefined)
  for (const operation of writes) await send(operation)
  expect([...reading]).toEqual([])
  expect(writes.map(({ id }) => id).filter((id) => !writing.has(id))).toEqual([])
})

/** Random operations leave the same results, events and data whether they are sent in batches or one by one. */

import { expect, test } from 'bun:test'
import { type AnswerBody } from '#testing/client'
import fc from 'fast-check'
import { testService, type TestService } from '#testing/service'
import { batches, makeObjects, type RandomOperation, SLUGS } from '#testing/random-batches'

const SEEDS = [1, 2, 3]
const BATCHES = 30
const PORTS = 4
const FIRST = 1_700_000_000_000_000

/** A service with the ids of the ships and ports that it made, in the order of their creation. */
interface Side {
  readonly service: TestService
  readonly ships: string[]
  readonly ports: string[]
}

const NOWHERE = '01890a5d-ac96-474b-bcce-b302099a8057'
const ships = '/v2/objects/ship/records'

test.each(SEEDS)(
  'batches and single requests have the same effects, seed %d',
  async (seed) => {
    const sides = [await startSide(), await startSide()] as const
    try {
      const plan = fc.sample(batches, { seed, numRuns: BATCHES })
      for (const [index, operations] of plan.entries()) {
        for (const { service } of sides) service.setNow(FIRST + index * 1_000_000)
        const results = [await sendBatch(sides[0], operations), await sendSingle(sides[1], operations)] as const
        for (const [at, { result }] of results[0].entries()) {
          expect({ operations, index, at, result }).toEqual({ operations, index, at, result: results[1][at]?.result })
        }
        sides.forEach((side, at) => {
          for (const { id } of results[at] ?? []) if (id !== undefined && !side.ships.includes(id)) side.ships.push(id)
        })
        expect(await eventsOf(sides[0])).toEqual(await eventsOf(sides[1]))
      }
      expect(sides[0].ships.length).toBe(sides[1].ships.length)
      expect(await dataOf(sides[0])).toEqual(await dataOf(sides[1]))
    } finally {
      for (const { service } of sides) await service.close()
    }
  },
  180_000,
)

async function startSide(): Promise<Side> {
  const service = await testService()
  service.setNow(FIRST - 1_000_000)
  await makeObjects(service)
  const ports: string[] = []
  for (let count = 0; count < PORTS; count++) {
    const { body } = await service.request('POST', '/v2/objects/port/records', { data: { values: {} } })
    ports.push(body.data.id.record_id)
  }
  await service.events()
  return { service, ships: [], ports }
}

interface Sent {
  /** The status and the values, or the error, with numbers instead of ids. */
  readonly result: unknown
  readonly id: string | undefined
}

async function sendBatch(side: Side, operations: readonly RandomOperation[]): Promise<Sent[]> {
  const data = { operations: operations.map((operation) => batchOperation(side, operation)) }
  const { status, body } = await side.service.request('POST', `${ships}/batch`, { data })
  if (status !== 200) throw new Error(`The batch was refused: ${body.message}`)
  const results: { status: number; data?: AnswerBody; error?: unknown }[] = body.data.results
  const isDeleted = (index: number) => operations[index]?.op === 'delete'
  return results.map((result, index) => sentOf(side, result.status, result.data ?? result.error, isDeleted(index)))
}

async function sendSingle(side: Side, operations: readonly RandomOperation[]): Promise<Sent[]> {
  const known = { ...side, ships: [...side.ships] }
  const sent: Sent[] = []
  for (const operation of operations) {
    const { method, path, data } = singleRequest(known, operation)
    const { status, body } = await side.service.request(method, path, data && { data })
    sent.push(sentOf(side, status, status === 200 ? body.data : body, operation.op === 'delete'))
  }
  return sent
}

const batchOperation = (side: Side, { op, mode, record, matching, values, valuesOnCreate }: RandomOperation) => {
  const record_id = shipAt(side, record)
  if (op === 'delete') return { op, record_id }
  if (op === 'create') return { op, values: withIds(side, values) }
  if (op === 'update') return { op, record_id, mode, values: withIds(side, values) }
  const values_on_create = withIds(side, valuesOnCreate)
  return { op, matching_attribute: matching, values: withIds(side, values), values_on_create }
}

function singleRequest(side: Side, operation: RandomOperation) {
  const { op, mode, matching } = operation
  const { record_id, op: _, mode: _mode, matching_attribute: _matching, ...data } = batchOperation(side, operation)
  if (op === 'create') return { method: 'POST', path: ships, data }
  if (op === 'upsert') return { method: 'PUT', path: `${ships}?matching_attribute=${matching}`, data }
  if (op === 'delete') return { method: 'DELETE', path: `${ships}/${record_id}`, data: undefined }
  return { method: mode === 'append' ? 'PATCH' : 'PUT', path: `${ships}/${record_id}`, data }
}

/** A third of the numbers name no record. */
const shipAt = ({ ships }: Side, number: number): string => ships[number % Math.ceil(ships.length * 1.2 + 1)] ?? NOWHERE

const OBJECTS: Readonly<Record<string, 'ship' | 'port'>> = {
  next: 'ship',
  leader: 'ship',
  convoy: 'ship',
  twin: 'ship',
  home: 'port',
  berth: 'port',
  calls: 'port',
}

function withIds(side: Side, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(values).map(([slug, value]) => {
    const target_object = OBJECTS[slug]
    if (target_object === undefined) return [slug, value]
    if (typeof value === 'string') return [slug, [{ target_object, code: [{ value }] }]]
    const idAt = (n: number) => (target_object === 'ship' ? shipAt(side, n) : (side.ports[n % PORTS] ?? NOWHERE))
    return [slug, (value as number[]).map((n) => ({ target_object, target_record_id: idAt(n) }))]
  })
  return Object.fromEntries(entries)
}

function sentOf(side: Side, status: number, body: AnswerBody, isDeleted: boolean): Sent {
  const id: string | undefined = status === 200 && !isDeleted ? body.id.record_id : undefined
  const all = id === undefined || side.ships.includes(id) ? side.ships : [...side.ships, id]
  const shown = isDeleted && status === 200 ? null : status === 200 ? body.values : body
  return { result: withNumbers({ ...side, ships: all }, { status, shown }), id }
}

/** The value with the number of each record instead of its id. New records of one batch have no numbers yet. */
function withNumbers({ ships, ports }: Side, value: unknown): unknown {
  let text = JSON.stringify(value)
  ships.forEach((id, number) => (text = text.replaceAll(id, `ship ${number}`)))
  ports.forEach((id, number) => (text = text.replaceAll(id, `port ${number}`)))
  return JSON.parse(text.replaceAll(UUID, 'new'))
}
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** The events of each record in their order. */
async function eventsOf(side: Side): Promise<unknown> {
  const slugs = new Map<string, string>()
  for (const object of ['ship', 'port']) {
    const { body } = await side.service.request('GET', `/v2/objects/${object}/attributes`)
    for (const { id, api_slug } of body.data) slugs.set(id.attribute_id, api_slug)
  }
  const events = await side.service.events()
  const shown = events.map((event) => ({
    record: (withNumbers(side, [event.id.record_id]) as string[])[0],
    what: `${event.event_type} ${slugs.get(event.id.attribute_id ?? '') ?? ''} by ${event.actor?.type}`,
  }))
  const byRecord = Map.groupBy(shown, ({ record }) => record)
  return Object.fromEntries([...byRecord].map(([record, own]) => [record, own.map(({ what }) => what)]))
}

/** Records with their versions, the history of each attribute, and the unique keys. */
async function dataOf(side: Side): Promise<unknown> {
  const { service } = side
  const data: Record<string, unknown> = {}
  for (const [number, id] of side.ships.entries()) {
    const { status, headers, body } = await service.request('GET', `${ships}/${id}`)
    const histories: unknown[] = []
    for (const slug of status === 200 ? SLUGS : []) {
      const path = `${ships}/${id}/attributes/${slug}/values?show_historic=true`
      histories.push((await service.request('GET', path)).body.data)
    }
    const shown = { status, version: headers.get('ETag'), values: body.data?.values, histories }
    data[number] = withNumbers(side, shown)
  }
  for (const [number, id] of side.ports.entries()) {
    const { body } = await service.request('GET', `/v2/objects/port/records/${id}`)
    data[`port ${number}`] = withNumbers(side, body.data.values)
  }
  const [workspace] = await service.db.sql`select number from relata.workspaces`
  const keys = await service.db.sql.unsafe(
    `select attribute, key, entity_id from w_${workspace?.number}.uniques order by attribute, key`,
  )
  return { data, keys: withNumbers(side, keys) }
}

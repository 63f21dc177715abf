import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from '#db/connect'
import { getObject } from '#engine/data-model/find'
import { MAX_RUNNING } from '#engine/entities/operations/run-coalesced'
import { attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let table: string
const RECORDS = '/v2/objects/things/records'
const HOLDERS = MAX_RUNNING

beforeAll(async () => {
  await service.request('POST', '/v2/objects', {
    data: { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' },
  })
  for (const attribute of [
    { api_slug: 'code', is_unique: true },
    { api_slug: 'tags', is_multiselect: true, type: 'email-address', is_unique: false },
    { api_slug: 'note' },
  ]) {
    await service.request('POST', '/v2/objects/things/attributes', { data: attributeInput(attribute) })
  }
  table = getObject(await service.appContext.models.reload(service.workspaceId), 'things').table
})
beforeEach(() => service.events())

const create = (values: object) => service.request('POST', RECORDS, { data: { values } })
const patch = (id: string, values: object, headers = {}) =>
  service.request('PATCH', `${RECORDS}/${id}`, { data: { values } }, { headers })
const createAll = async (count: number): Promise<string[]> => {
  const created = []
  for (let n = 0; n < count; n++) created.push((await create({ note: `note ${n}` })).body.data.id.record_id)
  return created
}
const noteOf = ({ body }: Awaited<ReturnType<typeof patch>>) => body.data.values.note[0].value
const codesOf = (answers: Awaited<ReturnType<typeof patch>>[]) => answers.map(({ status, body }) => body.code ?? status)

/** A statement writes one row of the outbox, which has all its events. */
async function outboxRows(): Promise<number> {
  const [counted] = await service.db.sql.unsafe(`select count(*)::int as rows from w_1.outbox`)
  return counted?.rows
}

/** Locks these records until the work ends. */
async function whileLocked<T>(ids: readonly string[], work: () => Promise<T>): Promise<T> {
  // The connections of the service are few, and statements that wait occupy them.
  const other = connect(service.url, { max: 1 })
  await other.sql`begin`
  await other.sql.unsafe(`select from ${table} where id = any($1::uuid[]) for update`, [`{${ids.join()}}`])
  try {
    return await work()
  } finally {
    await other.sql`rollback`
    await other.close()
  }
}

/** Resolves when as many statements wait for locks. */
async function lockWaits(count: number): Promise<void> {
  const waiting = await service.db.sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  if (waiting.length < count) return lockWaits(count)
}

/** Begins as many updates as may run at a time, which wait for locks until `work` ends. */
async function whileWritesRun<T>(work: () => Promise<T>, alsoLocked: readonly string[] = []): Promise<T> {
  const holders = await createAll(HOLDERS)
  await service.events()
  const { begun, result } = await whileLocked([...holders, ...alsoLocked], async () => {
    const begun = holders.map((id) => patch(id, { note: 'held' }))
    await lockWaits(HOLDERS)
    return { begun, result: await work() }
  })
  expect((await Promise.all(begun)).map(noteOf)).toEqual(holders.map(() => 'held'))
  return result
}

describe('PATCH /v2/objects/{object}/records/{record_id}', () => {
  test('200 for updates at the same time, which share a statement', async () => {
    const ids = await createAll(4)
    const answers = await whileWritesRun(async () => {
      const answers = await Promise.all(ids.map((id, n) => patch(id, { note: `new ${n}` })))
      expect(await outboxRows()).toBe(1)
      return answers
    })
    expect(answers.map(noteOf)).toEqual(['new 0', 'new 1', 'new 2', 'new 3'])
    const events = await service.events()
    expect(events.map(({ event_type }) => event_type)).toEqual(
      Array.from({ length: 4 + HOLDERS }, () => 'record.updated'),
    )
    const [first = ''] = ids
    const history = await service.request('GET', `${RECORDS}/${first}/attributes/note/values?show_historic=true`)
    expect(history.body.data.map(({ value }: { value: string }) => value).toSorted()).toEqual(['new 0', 'note 0'])
  })

  test('400, 404 and 412 refuse one update, and not those beside it', async () => {
    const [one = '', other = '', last = ''] = await createAll(3)
    const answers = await whileWritesRun(() =>
      Promise.all([
        patch(one, { note: 5 }),
        patch(other, { note: 'written' }),
        patch(crypto.randomUUID(), { note: 'missing' }),
        patch(last, { note: 'outdated' }, { 'If-Match': '"another"' }),
      ]),
    )
    expect(codesOf(answers)).toEqual(['validation_type', 200, 'not_found', 'version_conflict'])
  })

  test('200 for many updates of one record', async () => {
    const [id = ''] = await createAll(1)
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => patch(id, { note: `value ${n}` })))
    expect(codesOf(answers)).toEqual(answers.map(() => 200))
    expect(await service.events()).toHaveLength(21)
  })

  test('200 while another transaction has locked one of the records', async () => {
    const [free = '', locked = ''] = await createAll(2)
    const waiting = await whileWritesRun(async () => {
      const waiting = patch(locked, { note: 'late' })
      expect(noteOf(await patch(free, { note: 'written' }))).toBe('written')
      return { waiting }
    }, [locked])
    expect(noteOf(await waiting.waiting)).toBe('late')
  })

  test('200 for values of several attributes, of multiselects and of unique ones', async () => {
    const ids = await createAll(4)
    const answers = await Promise.all([
      ...ids.map((id, n) => patch(id, { tags: [`${n}@example.com`] })),
      ...ids.map((id, n) => patch(id, { code: `code ${n}`, note: 'both' })),
    ])
    expect(codesOf(answers)).toEqual(answers.map(() => 200))
    const records = await Promise.all(ids.map((id) => service.request('GET', `${RECORDS}/${id}`)))
    expect(records.map(({ body: { data } }) => [data.values.tags[0].email_address, data.values.code[0].value])).toEqual(
      ids.map((_, n) => [`${n}@example.com`, `code ${n}`]),
    )
  })
})

describe('POST /v2/objects/{object}/records', () => {
  const MANY = 20

  test('200 for creations at the same time, in fewer statements', async () => {
    const answers = await Promise.all(Array.from({ length: MANY }, (_, n) => create({ code: `new ${n}`, note: 'x' })))
    expect(answers.map(({ body }) => body.data.values.code[0].value)).toEqual(answers.map((_, n) => `new ${n}`))
    expect(new Set(answers.map(({ body }) => body.data.id.record_id)).size).toBe(MANY)
    expect(await outboxRows()).toBeLessThan(MANY)
    expect(await service.events()).toHaveLength(MANY)
  })

  test('400 and 409 refuse one creation, and not those beside it', async () => {
    await create({ code: 'taken' })
    const answers = await Promise.all([
      ...Array.from({ length: HOLDERS }, (_, n) => create({ code: `first ${n}` })),
      create({ code: 'free' }),
      create({ code: 'taken' }),
      create({ code: 5 }),
      create({ code: 'same' }),
      create({ code: 'same' }),
    ])
    const codes = codesOf(answers).slice(HOLDERS)
    expect(codes.slice(0, 3)).toEqual([200, 'uniqueness_conflict', 'validation_type'])
    expect(codes.slice(3).map(String).toSorted()).toEqual(['200', 'uniqueness_conflict'])
  })

  test('200 for texts with the characters that separate lines', async () => {
    const texts = Array.from({ length: 8 }, (_, n) => `line\u001e${n}\u001f`)
    const answers = await Promise.all(texts.map((note) => create({ note })))
    expect(answers.map(({ body }) => body.data.values.note[0].value)).toEqual(texts)
  })
})

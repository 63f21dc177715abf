/**
 * Values of entries follow the rules for values of records, for every attribute type.
 * See docs/reference/values.md.
 */

import { beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type EntryClient, entryClient, entryIdOf } from '../../support/fixtures/entries'
import { startValueService } from '../../support/fixtures/every-type'
import { forThisFile } from '../../support/service/service-per-file'
import { EVERY_ATTRIBUTE, makeList } from '../../support/fixtures/model'
import { valuesOfEverything } from '../../support/fixtures/random-values'
import { createRecord, recordIdOf } from '../../support/fixtures/value-cases'

const LIST = 'entries_of_everything'
const SYSTEM = ['record_id', 'entry_id', 'created_at', 'created_by']

const service = forThisFile(startValueService)
let entries: EntryClient
beforeAll(async () => {
  await makeList(service().request, LIST, EVERY_ATTRIBUTE)
  entries = entryClient(service().request, LIST)
})

type Values = Readonly<Record<string, unknown>>

const writable = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([slug]) => !SYSTEM.includes(slug)))

/**
 * The members that differ between an object and a list: times, and ids of attributes and options. The original texts
 * differ because a value that is written over an equal one does not change it.
 */
const APART = ['active_from', 'id', 'original_phone_number', 'original_email_address']
const comparable = (values: Values): unknown =>
  JSON.parse(JSON.stringify(writable(values), (key, value) => (APART.includes(key) ? undefined : value)))

test('an entry reads like a record with the same values', async () => {
  const { request, person } = service()
  const property = fc.asyncProperty(valuesOfEverything, async (values) => {
    const record = await createRecord(request, 'everything', values)
    const entry = await entries.create(person, values)
    expect(comparable(entry.body.data.entry_values)).toEqual(comparable(record.body.data.values))
    const read = await entries.get(entryIdOf(entry))
    expect(read.body).toEqual(entry.body)
    await request('DELETE', `/v2/objects/everything/records/${recordIdOf(record)}`)
    await entries.remove(entryIdOf(entry))
  })
  await fc.assert(property, { numRuns: 25, seed: 3 })
})

test('an entry written back with PUT, PATCH or assert keeps every value, time and version', async () => {
  const { request } = service()
  const property = fc.asyncProperty(valuesOfEverything, async (values) => {
    const record = recordIdOf(await createRecord(request, 'people', {}))
    const { body, headers } = await entries.assert(record, values)
    const { id, entry_values } = body.data
    const answers = [
      await entries.write('PUT', id.entry_id, writable(entry_values)),
      await entries.write('PATCH', id.entry_id, writable(entry_values)),
      await entries.assert(record, writable(entry_values)),
      await entries.get(id.entry_id),
    ]
    for (const answer of answers) {
      expect(answer.body).toEqual(body)
      expect(answer.headers.get('etag')).toBe(headers.get('etag') ?? '')
    }
    await entries.remove(id.entry_id)
  })
  await fc.assert(property, { numRuns: 25, seed: 4 })
})

test('an entry overwritten by assert reads like a new one, and has the earlier values in its history', async () => {
  const { request } = service()
  const property = fc.asyncProperty(valuesOfEverything, valuesOfEverything, async (before, after) => {
    const record = recordIdOf(await createRecord(request, 'people', {}))
    const first = await entries.assert(record, before)
    const emptied = Object.fromEntries(Object.keys(writable(first.body.data.entry_values)).map((slug) => [slug, []]))
    const second = await entries.assert(record, { ...emptied, ...after })
    expect([second.status, second.body.message]).toEqual([200, undefined])
    expect(second.body.data.id).toEqual(first.body.data.id)
    const had = first.body.data.entry_values.text[0]?.value
    const has = second.body.data.entry_values.text[0]?.value
    const path = `${entries.path(entryIdOf(second))}/attributes/text/values?show_historic=true`
    const versions = (await request('GET', path)).body.data.map(({ value }: { value: string }) => value)
    expect(versions).toEqual([had, ...(had === has ? [] : [has])].filter((value) => value !== undefined))
    await entries.remove(entryIdOf(second))
    const made = await entries.create(record, after)
    expect(comparable(second.body.data.entry_values)).toEqual(comparable(made.body.data.entry_values))
    await entries.remove(entryIdOf(made))
  })
  await fc.assert(property, { numRuns: 20, seed: 5 })
})

/**
 * A record that is read and written back does not change.
 * See docs/reference/values.md (The form of a value, Writing values, Several values).
 */

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { startValueService } from '../../support/fixtures/every-type'
import { forThisFile } from '../../support/service/service-per-file'
import { valuesOfEverything } from '../../support/fixtures/random-values'
import { createRecord, recordIdOf } from '../../support/fixtures/value-cases'

const service = forThisFile(startValueService)

const READ_ONLY = ['record_id', 'created_at', 'created_by']

const writable = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).filter(([slug]) => !READ_ONLY.includes(slug)))

/** Checkboxes and currencies do not accept null, and single values accept no array of several. */
const emptied = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(writable(values)).map((slug) => [slug, []]))

test('any record that is written back with PUT and PATCH keeps every value, time and version', async () => {
  const { request } = service()
  const property = fc.asyncProperty(valuesOfEverything, async (values) => {
    const created = await createRecord(request, 'everything', values)
    const path = `/v2/objects/everything/records/${recordIdOf(created)}`
    const read = await request('GET', path)
    expect(read.body).toEqual(created.body)
    for (const method of ['PUT', 'PATCH'] as const) {
      const again = await request(method, path, { data: { values: writable(read.body.data.values) } })
      expect(again.body).toEqual(read.body)
      expect(again.headers.get('etag')).toBe(read.headers.get('etag') ?? '')
    }
    await request('DELETE', path)
  })
  await fc.assert(property, { numRuns: 50, seed: 1 })
})

test('any record overwritten with the values of another reads like a new record with these values', async () => {
  const { request } = service()
  const property = fc.asyncProperty(valuesOfEverything, valuesOfEverything, async (before, after) => {
    const path = `/v2/objects/everything/records/${recordIdOf(await createRecord(request, 'everything', before))}`
    const cleared = emptied((await request('GET', path)).body.data.values)
    const written = await request('PUT', path, { data: { values: { ...cleared, ...after } } })
    expect(written.body).toMatchObject({ data: {} })
    await request('DELETE', path)
    const created = await createRecord(request, 'everything', after)
    const own = (values: Readonly<Record<string, unknown>>) => withoutTimes(writable(values))
    expect(own(written.body.data.values)).toEqual(own(created.body.data.values))
    await request('DELETE', `/v2/objects/everything/records/${recordIdOf(created)}`)
  })
  await fc.assert(property, { numRuns: 30, seed: 2 })
})

const withoutTimes = (values: unknown): unknown =>
  JSON.parse(JSON.stringify(values, (key, value) => (key === 'active_from' ? undefined : value)))

/** Every form of the list is read from an index that has its order, so that a page of a million notes is as fast as one of few. */

import { beforeAll, expect, test } from 'bun:test'
import { plansOf } from '#testing/plans'
import { useTestService } from '#testing/use-service'

const NOTES = 20_000

const service = useTestService()
const values: Record<string, string> = {}
beforeAll(async () => {
  const { body } = await service.request('POST', '/v2/objects/companies/records', { data: { values: {} } })
  const { object_id: object, record_id: record } = body.data.id
  values.RECORD = record
  values.MEMBER = service.member.id
  const { db, workspaceId } = service
  // Every hundredth note is on the record, every fiftieth is the member's, and one title has the rare word.
  await db.sql`
    insert into relata.notes (workspace_id, id, parent_object_id, parent_record_id, title, content, created_by, created_at)
    select ${workspaceId}, gen_random_uuid(), case when n % 20 = 0 then ${object}::uuid else other.id end,
      case when n % 100 = 0 then ${record}::uuid else gen_random_uuid() end,
      case when n = 5000 then 'a rare word' else 'a common word ' || n end, '["x"]',
      case when n % 50 = 0 then member.number else ${0} end, timestamptz '2024-01-01' + n * interval '1 minute'
    from generate_series(1, ${NOTES}::int) n,
      (select id from relata.entity_types where workspace_id = ${workspaceId} and api_slug = 'people') other,
      (select number from relata.actors where workspace_id = ${workspaceId} and id = ${service.member.id}) member`
  await db.sql`analyze relata.notes`
})

const FORMS: readonly (readonly [query: string, index: string])[] = [
  ['', 'notes_created_at'],
  ['sort=created_at:desc', 'notes_created_at'],
  ['parent_object=companies', 'notes_of_object'],
  ['parent_object=companies&sort=created_at:desc', 'notes_of_object'],
  ['parent_object=companies&parent_record_id=RECORD', 'notes_of_record'],
  ['parent_object=companies&parent_record_id=RECORD&offset=50', 'notes_of_record'],
  ['created_by=MEMBER', 'notes_of_author'],
  ['parent_object=companies&created_by=MEMBER', 'notes_of_object_and_author'],
  ['search=rare', 'notes_title'],
]

test.each(FORMS)('?%s', async (query, index) => {
  const path = `/v2/notes?${query.replaceAll(/[A-Z]+/g, (name) => values[name] ?? '')}`
  const plans = await plansOf(service, () => service.request('GET', path))
  const ofNotes = plans.filter((each) => each.includes('on notes'))
  expect(query.startsWith('search') ? ofNotes.join('\n') : ofNotes[0]).toContain(index)
  for (const plan of ofNotes) expect(plan).not.toContain('Seq Scan')
  if (!query.startsWith('search')) expect(ofNotes[0]).not.toContain('Sort')
})

test.each([
  ['rare', 1],
  ['common', 10],
])('a search finds the first notes with %s', async (word, count) => {
  const { body } = await service.request('GET', `/v2/notes?search=${word}`)
  expect(body.data).toHaveLength(count)
})

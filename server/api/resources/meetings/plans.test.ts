/** Each list of meetings reads ranges of one index. See docs/reference/meetings.md (Lists of meetings); docs/decisions/meetings-and-emails.md. */

import { beforeAll, expect, test } from 'bun:test'
import { FREQUENT_PARTICIPANT, seedMeetings } from '#testing/many-meetings'
import { plansOf } from '#testing/plans'
import { useTestService } from '#testing/use-service'

const MEETINGS = 40_000

const service = useTestService()
/** The parameters of each list, and the indexes that it reads. */
let lists: readonly (readonly [string, readonly string[]])[]
beforeAll(async () => {
  const { person } = await seedMeetings(service, MEETINGS)
  const link = `linked_object=people&linked_record_id=${person}`
  const participants = `participants=${FREQUENT_PARTICIPANT},p2@example.com`
  lists = [
    ['', ['meetings_start']],
    [link, ['meeting_links_start']],
    [participants, ['meeting_participants_start']],
    [`${link}&${participants}`, ['meeting_links_start', 'meeting_participants_start']],
  ]
})

const RANGES = [
  '',
  'ends_from=2024-03-01T00:00:00Z',
  'starts_before=2024-03-01T00:00:00Z',
  'ends_from=2024-03-01T00:00:00Z&starts_before=2024-04-01T00:00:00Z',
]

test.each(['start_asc', 'start_desc'])('a page with %s reads ranges of the index of its filter', async (sort) => {
  for (const [filter, indexes] of lists)
    for (const range of RANGES) {
      const query = [`sort=${sort}`, 'limit=20', filter, range].filter(Boolean).join('&')
      const plans = await plansOf(service, async () => {
        const { status, body } = await service.request('GET', `/v2/meetings?${query}`)
        expect([query, status, body.data.length]).toEqual([query, 200, 20])
      })
      const whole = plans.find((each) => each.includes('CTE classes')) ?? ''
      const [plan = ''] = whole.split(/Index Scan using meetings_pkey/)
      const scans = [...plan.matchAll(/Index (?:Only )?Scan(?: Backward)? using (\w+)|Seq Scan|Bitmap/g)]
      // Most meetings are of one class, so the index for activities is as good as the one for lists.
      const names = scans.map(([, index]) => index?.replace('meeting_links_by_start', 'meeting_links_start'))
      expect([query, [...new Set(names)]]).toEqual([query, [...indexes]])
      // The index finds both ends of a range.
      expect(plan.match(/Index Cond: .*ROW\(starts_at, \w+\) > ROW.*ROW\(starts_at, \w+\) < ROW/g)?.length).toBe(indexes.length)
    }
}) // prettier-ignore

test('a page reads few meetings that have ended', async () => {
  const query = 'limit=20&ends_from=2024-12-01T00:00:00Z'
  const plans = await plansOf(service, () => service.request('GET', `/v2/meetings?${query}`), 'explain analyze')
  const plan = plans.find((each) => each.includes('CTE classes')) ?? ''
  const dropped = [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, rows]) => Number(rows))
  expect(plan).toContain('actual time')
  // PostgreSQL prints the mean of the ranges.
  expect(dropped.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(50)
})

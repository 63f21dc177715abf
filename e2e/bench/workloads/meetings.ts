/** Meetings: a page from a time on, a page of a record's meetings, a page of a participant's, a new meeting. */

import { anyone, readAbout, type Workload } from './workload'

const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z')
const DAY_MS = 86_400_000
/** `makeMeetings` makes meetings on these days. */
const DAYS = 1000

const dayAfter = (day: number): string => new Date(FIRST_DAY + day * DAY_MS).toISOString()

export const MEETINGS: readonly Workload[] = [
  {
    name: 'meeting-page',
    title: 'meetings from a day on, by start',
    request: (random) => ({ method: 'GET', path: `/v2/meetings?ends_from=${dayAfter(random.below(DAYS - 10))}` }),
    target: { rate: 0.2 },
    within: 20,
    needs: 'meetings',
  },
  readAbout(
    { name: 'meeting-record', title: 'meetings of a record', needs: 'meetings', rate: 0.2 },
    ({ id }) => `/v2/meetings?linked_object=people&linked_record_id=${id}`,
  ),
  readAbout(
    { name: 'meeting-participant', title: 'meetings of a participant', needs: 'meetings' },
    ({ email }) => `/v2/meetings?participants=${encodeURIComponent(email)}`,
  ),
  {
    name: 'meeting-create',
    title: 'create a meeting with a participant',
    request: (random, loaded) => {
      const start = FIRST_DAY + random.below(DAYS) * DAY_MS
      return {
        method: 'POST',
        path: '/v2/meetings',
        body: {
          data: {
            title: `Weekly ${loaded.next()}`,
            description: '',
            is_all_day: false,
            start: { datetime: new Date(start).toISOString() },
            end: { datetime: new Date(start + 3_600_000).toISOString() },
            participants: [{ email_address: anyone(random, loaded).email, is_organizer: true, status: 'accepted' }],
            linked_records: [{ object: 'people', record_id: anyone(random, loaded).id }],
          },
        },
      }
    },
    within: 20,
    hasNoFloor: true,
    needs: 'meetings',
  },
]

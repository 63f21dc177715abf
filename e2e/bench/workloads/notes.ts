/** Notes: those of a record, the newest ones, a search by title, a new one. */

import { FIRST_NAMES } from '../data/words'
import { anyone, readAbout, type Workload } from './workload'

const CONTENT =
  '## Call\n\nThey asked for an **offer** by *Friday*.\n\n- Send the [price list](https://example.com/prices)\n- Call back'

export const NOTES: readonly Workload[] = [
  readAbout(
    { name: 'note-page', title: "a record's notes", needs: 'notes', rate: 0.5 },
    ({ id }) => `/v2/notes?parent_object=people&parent_record_id=${id}`,
  ),
  {
    name: 'note-newest',
    title: 'the newest ten notes of all',
    request: () => ({ method: 'GET', path: '/v2/notes?sort=created_at:desc' }),
    target: { rate: 0.3 },
    within: 20,
    needs: 'notes',
  },
  {
    name: 'note-search',
    title: 'notes by two words of the title',
    request: (random, seeded) => ({
      method: 'GET',
      path: `/v2/notes?search=call%20${random.below(seeded.people.length)}`,
    }),
    within: 20,
    hasNoFloor: true,
    needs: 'notes',
  },
  {
    name: 'note-create',
    title: 'write a note',
    request: (random, seeded) => ({
      method: 'POST',
      path: '/v2/notes',
      body: {
        data: {
          parent_object: 'people',
          parent_record_id: anyone(random, seeded).id,
          title: `Meeting with ${random.one(FIRST_NAMES)}`,
          format: 'markdown',
          content: CONTENT,
        },
      },
    }),
    target: { rate: 0.4 },
    needs: 'notes',
  },
]

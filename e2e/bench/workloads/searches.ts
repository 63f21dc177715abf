/** Searches for people by words, as they are typed. */

import type { Random } from '../data/random'
import type { Workload } from './workload'
import { FIRST_NAMES, LAST_NAMES } from '../data/words'

const searching = (name: string, title: string, typed: (random: Random) => string): Workload => ({
  name,
  title,
  request: (random) => ({
    method: 'POST',
    path: '/v2/objects/records/search',
    body: { query: typed(random), objects: ['people'], request_as: { type: 'workspace' }, limit: 10 },
  }),
  within: 100,
  isQuery: true,
  hasNoFloor: true,
})

export const SEARCHES: readonly Workload[] = [
  searching('search', 'search, beginning', (random) => random.one(LAST_NAMES).slice(0, 4)),
  searching('search-two', 'search, two beginnings', (random) =>
    [random.one(FIRST_NAMES), random.one(LAST_NAMES)].map((name) => name.slice(0, 3)).join(' '),
  ),
  searching('search-typo', 'search, typing error', (random) => withoutThird(random.one(LONG_NAMES))),
  searching('search-common', 'search, in half of all', () => 'example'),
]

const LONG_NAMES = ['Fernández', 'Andersson', 'Kowalski', 'Nakamura', 'Williams', 'Yamamoto'] as const

const withoutThird = (word: string): string => word.slice(0, 2) + word.slice(3)

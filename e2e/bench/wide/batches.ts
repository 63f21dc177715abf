/** Batches over records of the object `wide`, with ids as results. Their figures are those of one operation. */

import type { Random } from '../data/random'
import type { Figures } from '../measure/measure'
import { emailOf, SCORES, wideValues } from './rows'
import { RECORDS, type WideWorkload } from './workloads'

/** The number of operations of a batch. */
const OPERATIONS = 100

const BATCH = `${RECORDS}/batch`

/** `next` returns a new number above those of all records. */
export function batchWorkloads(ids: readonly string[], records: number, next: () => number): readonly WideWorkload[] {
  return [
    {
      name: 'batch-create',
      title: 'batch of 100 creates',
      request: () => batch(() => ({ op: 'create', values: wideValues(next(), 'new') })),
      operations: OPERATIONS,
      leastOperations: 10_000,
    },
    {
      name: 'batch-update',
      title: 'batch of 100 updates',
      request: (random) =>
        batchOfDifferent(random, ids.length, (n) => ({
          op: 'update',
          record_id: ids[n],
          values: { score: random.below(SCORES) },
        })),
      operations: OPERATIONS,
      leastOperations: 5000,
    },
    {
      name: 'batch-upsert',
      title: 'batch of 100 upserts',
      request: (random) =>
        batchOfDifferent(random, records, (n) => ({
          op: 'upsert',
          matching_attribute: 'email',
          values: { email: emailOf(n), score: random.below(SCORES) },
        })),
      operations: OPERATIONS,
      leastOperations: 5000,
    },
  ]
}

const batch = (operation: (index: number) => object) => ({
  method: 'POST' as const,
  path: `${BATCH}?return=ids`,
  body: { data: { operations: Array.from({ length: OPERATIONS }, (_, index) => operation(index)) } },
})

/** Each operation gets another number below `count`, because one statement of the floor cannot write a row twice. */
function batchOfDifferent(random: Random, count: number, operation: (n: number) => object) {
  const first = random.below(count)
  return batch((index) => operation((first + index * STEP) % count))
}
const STEP = 13

/** The figures of one operation, except for the times of a request. */
export const perOperation = (figures: Figures, operations: number): Figures => ({
  ...figures,
  rate: figures.rate * operations,
  program_cpu: figures.program_cpu / operations,
  postgres_cpu: figures.postgres_cpu / operations,
})

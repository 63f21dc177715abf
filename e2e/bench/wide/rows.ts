/** The records of the object `wide`: 12 text and number attributes, the status among them, and a unique email address. */

import { FIELDS, FIRST_NAMES, LAST_NAMES } from '../data/words'

export const OBJECT = 'wide'

export const TEXTS = ['name', 'title', 'city', 'street', 'note', 'status'] as const
export const NUMBERS = ['score', 'age', 'height', 'weight', 'visits', 'price'] as const

/** The statuses of the first records, by turns. */
const STATUSES = ['new', 'open', 'waiting', 'closed'] as const
/** The status of all records that are added to the first ones. Pages have only such records. */
export const ADDED_STATUS = 'added'
/** The share of added records: 30,000 for 200,000. */
const ADDED_SHARE = 0.15
/** Scores are from 0 to below this. */
export const SCORES = 10_000

/** The number of records after the added ones, if there were `records` before. */
export const withAdded = (records: number): number => records + Math.round(records * ADDED_SHARE)

export type WideValues = Readonly<
  Record<(typeof TEXTS)[number] | 'email', string> & Record<(typeof NUMBERS)[number], number>
>

export const emailOf = (n: number): string => `wide.${n}@example.com`

/** The values of the n-th record. */
export function wideValues(n: number, status: string): WideValues {
  const name = `${FIRST_NAMES[n % FIRST_NAMES.length]} ${LAST_NAMES[(n * 7) % LAST_NAMES.length]}`
  return {
    email: emailOf(n),
    status,
    name,
    title: FIELDS[n % FIELDS.length] ?? '',
    city: `City ${n % 977}`,
    street: `${n % 211} Main Street`,
    note: `${name} called ${n % 97} days ago`,
    score: (n * 7919) % SCORES,
    age: 18 + (n % 60),
    height: 150 + (n % 50) + 0.5,
    weight: 50 + (n % 70),
    visits: n % 1000,
    price: (n % 100_000) / 100,
  }
}

/** The status of the n-th record, of which the first `records` are not added. */
export const statusOf = (n: number, records: number): string =>
  n < records ? (STATUSES[n % STATUSES.length] ?? '') : ADDED_STATUS

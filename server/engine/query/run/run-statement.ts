/**
 * Runs the statements of queries on connections of their own, under a time limit. A statement is cancelled when its caller
 * disconnects.
 */

import { type Database, prepareOptions } from '#db/connect'
import { cancelOnAbort } from '#db/driver/cancel-on-abort'
import { rowOf } from '#db/driver/row-messages'
import { runOnLookupPool } from '#db/lookup-pool'
import type { RequestContext } from '#context'
import { isCancellation } from '#base/errors/database'
import { queryTimedOut } from '#base/errors/queries'
import type { Row } from '#engine/storage/layout'
import { collectorsOf, type RowCollector, sendForEach } from './page-body'
import type { QueryStatement } from '#engine/query/compile/page-statement'
import { serviceUnavailable } from '#base/errors/http'
import { createLru } from '#base/caching/caching'

type Caller = Pick<RequestContext, 'db' | 'signal'>

/** Runs a lookup of a few rows on the connections of single reads, which cache its plan. */
export const runSmallLookup = <R>(
  { db }: Pick<RequestContext, 'db'>,
  statement: QueryStatement,
  open: () => RowCollector<R>,
): Promise<R> =>
  runOnLookupPool(db, (sql) => sendForEach(sql, statement, prepareOptions(statement.text), open()).collect())

const limiters = new WeakMap<Database['queries'], ConcurrencyLimiter>()

/** Like `collectStatement`, and returns the rows as arrays. */
export const runStatement = (context: Caller, statement: QueryStatement, isLong = false): Promise<readonly Row[]> =>
  collectStatement(context, statement, collectorsOf(rowOf), isLong)

/**
 * Returns what a collector of `open` collects. Each run of the statement has a collector of its own. PostgreSQL prepares the
 * statement once and plans each run for its own operands, by a setting of `db.queries`. `isLong` is the expectation for a
 * statement that has not run before. Throws 400 when the statement takes too long.
 */
export function collectStatement<R>(
  context: Caller,
  statement: QueryStatement,
  open: () => RowCollector<R>,
  isLong: boolean,
): Promise<R> {
  const { queries } = context.db
  const limiter = limiters.get(queries) ?? createConcurrencyLimiter(queries.options.max)
  limiters.set(queries, limiter)
  return limiter.run(statement.text, isLong, () => runWithTimeLimit(context, statement, open))
}

async function runWithTimeLimit<R>(
  context: Caller,
  statement: QueryStatement,
  open: () => RowCollector<R>,
): Promise<R> {
  // The driver never settles a statement that was cancelled before it was sent.
  if (context.signal?.aborted) throw queryTimedOut()
  const startedAt = performance.now()
  try {
    return await runOnce(context, statement, open())
  } catch (error) {
    if (!isCancellation(error)) throw error
    const isTimedOut = context.signal?.aborted === true || performance.now() - startedAt >= context.db.queryTimeoutMs
    if (isTimedOut) throw queryTimedOut()
  }
  // The cancellation was for an earlier statement of this connection and arrived after its end.
  return runOnce(context, statement, open())
}

async function runOnce<R>({ db, signal }: Caller, statement: QueryStatement, collector: RowCollector<R>): Promise<R> {
  const options = { ...prepareOptions(statement.text), endsEarly: true }
  const { query, collect } = sendForEach(db.queries, statement, options, collector)
  const stopListening = cancelOnAbort(query, signal)
  try {
    return await collect()
  } finally {
    stopListening()
  }
}

type Duration = 'short' | 'long'

/**
 * Limits how many long statements run concurrently, so that some connections stay free for short ones. A statement is long or
 * short by how long its text took before. See docs/decisions/queries.md.
 */
interface ConcurrencyLimiter {
  /**
   * Runs the work when its turn comes. `isLong` is the expectation for a text that has not run before. Throws 503 when too
   * many statements wait.
   */
  run<T>(text: string, isLong: boolean, work: () => Promise<T>): Promise<T>
}

const LONG_MS = 250
/** Slots that only short statements use. */
const SLOTS_FOR_SHORT = 2
const MAX_TEXTS = 1000
/** With a longer queue, clients would time out before their turn. */
const MAX_WAITING = 1000
const RETRY_AFTER_MS = 2000

/** At most `slots` statements run concurrently, and at most `maxWaiting` wait. */
export function createConcurrencyLimiter(slots: number, maxWaiting = MAX_WAITING): ConcurrencyLimiter {
  const limits = { short: slots, long: Math.max(1, slots - SLOTS_FOR_SHORT) }
  const running = { short: 0, long: 0 }
  const queues: Readonly<Record<Duration, (() => void)[]>> = { short: [], long: [] }
  const averages = createAverages()

  const isFree = (duration: Duration): boolean =>
    running.short + running.long < slots && running[duration] < limits[duration]

  async function acquireSlot(duration: Duration): Promise<void> {
    if (isFree(duration) && queues[duration].length === 0) running[duration]++
    else if (queues.short.length + queues.long.length >= maxWaiting)
      throw serviceUnavailable(new Date(Date.now() + RETRY_AFTER_MS))
    else await new Promise<void>((resolve) => queues[duration].push(resolve))
  }

  function releaseSlot(duration: Duration): void {
    running[duration]--
    startNext()
  }

  /** Short statements go first, unless no long one runs. So every statement gets its turn. */
  function startNext(): void {
    const order: readonly Duration[] = running.long === 0 ? ['long', 'short'] : ['short', 'long']
    const duration = order.find((each) => queues[each].length > 0 && isFree(each))
    if (duration === undefined) return
    running[duration]++
    queues[duration].shift()?.()
    startNext()
  }

  return {
    async run(text, isLong, work) {
      const duration = (averages.of(text) ?? (isLong ? LONG_MS : 0)) >= LONG_MS ? 'long' : 'short'
      await acquireSlot(duration)
      const startedAt = performance.now()
      try {
        const result = await work()
        averages.add(text, performance.now() - startedAt)
        return result
      } catch (error) {
        // A cancelled statement would have taken longer.
        averages.addAtLeast(text, performance.now() - startedAt)
        throw error
      } finally {
        releaseSlot(duration)
      }
    },
  }
}

/** A moving average of the milliseconds that each statement text took. */
function createAverages() {
  const cached = createLru<string, number>(MAX_TEXTS)
  const add = (text: string, ms: number): void => {
    const previous = cached.get(text) ?? ms
    cached.set(text, (previous + ms) / 2)
  }
  return {
    of: (text: string): number | undefined => cached.get(text),
    add,
    addAtLeast(text: string, ms: number): void {
      if (ms > (cached.get(text) ?? 0)) add(text, ms)
    },
  }
}

/**
 * Runs the statements of queries on connections of their own, under a time limit. A statement is cancelled when its caller
 * disconnects.
 */

import { type Database, prepareOptions, runOnLookupPool, runRead } from '#db/connect'
import { cancelOnAbort } from '#db/driver/cancel-on-abort'
import { rowOf } from '#db/driver/row-messages'
import type { RequestContext } from '#context'
import { isCancellation } from '#base/errors/database'
import { queryTimedOut } from '#base/errors/queries'
import type { Row } from '#engine/storage/layout'
import { collectorsOf, type RowCollector, sendForEach } from './page-body'
import type { QueryStatement } from '#engine/query/compile/page-statement'
import { createLru } from '#base/caching/caching'
import { createConcurrencyLimiter } from '#base/timing/concurrency-limiter'

interface Caller extends Pick<RequestContext, 'db' | 'signal'> {
  readonly model: { readonly workspace: { readonly id: string } }
}

/** Runs a lookup of a few rows on the connections of single reads, which cache its plan. */
export const runSmallLookup = <R>(
  { db }: Pick<RequestContext, 'db'>,
  statement: QueryStatement,
  open: () => RowCollector<R>,
): Promise<R> =>
  runOnLookupPool(db, (sql) => sendForEach(sql, statement, prepareOptions(statement.text), open()).collect())

const limiters = new WeakMap<Database['queries'], StatementLimiter>()

/** Like `collectStatement`, and returns the rows as arrays. */
export const runStatement = (context: Caller, statement: QueryStatement, isLong = false): Promise<readonly Row[]> =>
  collectStatement(context, statement, collectorsOf(rowOf), isLong)

/**
 * Returns what a collector of `open` collects. Each run of the statement has a collector of its own. PostgreSQL prepares a statement that
 * runs often once, and plans each run for its own operands, by a setting of the pool of queries. `isLong` is the expectation for a
 * statement that has not run before. Throws 400 when the statement takes too long.
 */
export function collectStatement<R>(
  context: Caller,
  statement: QueryStatement,
  open: () => RowCollector<R>,
  isLong: boolean,
): Promise<R> {
  const limited = { text: statement.text, isLong, workspaceId: context.model.workspace.id }
  return runRead(context.db, ({ queries }) =>
    limiterOf(queries).run(limited, (runs) => {
      const prepare = runs >= RUNS_BEFORE_PREPARED && prepareOptions(statement.text).prepare
      return runWithTimeLimit(context, queries, { ...statement, prepare }, open)
    }),
  )
}

function limiterOf(queries: Database['queries']): StatementLimiter {
  const limiter = limiters.get(queries) ?? createStatementLimiter(queries.options.max)
  limiters.set(queries, limiter)
  return limiter
}

/** A prepared page takes 75 kB of each connection that has run it. Most workspaces of an installation with many ask seldom. */
const RUNS_BEFORE_PREPARED = 2

interface PreparableStatement extends QueryStatement {
  readonly prepare: boolean
}

async function runWithTimeLimit<R>(
  context: Caller,
  queries: Database['queries'],
  statement: PreparableStatement,
  open: () => RowCollector<R>,
): Promise<R> {
  // The driver never settles a statement that was cancelled before it was sent.
  if (context.signal?.aborted) throw queryTimedOut()
  const startedAt = performance.now()
  try {
    return await runOnce(context, queries, statement, open())
  } catch (error) {
    if (!isCancellation(error)) throw error
    const isTimedOut = context.signal?.aborted === true || performance.now() - startedAt >= context.db.queryTimeoutMs
    if (isTimedOut) throw queryTimedOut()
  }
  // The cancellation was for an earlier statement of this connection and arrived after its end.
  return runOnce(context, queries, statement, open())
}

async function runOnce<R>(
  { signal }: Caller,
  queries: Database['queries'],
  statement: PreparableStatement,
  collector: RowCollector<R>,
): Promise<R> {
  const options = { prepare: statement.prepare, endsEarly: true }
  const { query, collect } = sendForEach(queries, statement, options, collector)
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
 * short by how long its text took before. Workspaces take turns, and none of them uses all connections. See docs/decisions/queries.md.
 */
interface StatementLimiter {
  /**
   * Runs the work when its turn comes. `runs` says how often the text has run before. `isLong` is the expectation for a text that has
   * not. Throws 503 when too many statements wait.
   */
  run<T>(statement: LimitedStatement, work: (runs: number) => Promise<T>): Promise<T>
}

interface LimitedStatement {
  readonly text: string
  readonly isLong: boolean
  readonly workspaceId: string
}

const LONG_MS = 250
/** Slots that one workspace leaves to the others, because a statement may hold its slot for seconds. */
const SLOTS_FOR_OTHERS = 1
/** Slots that only short statements use. */
const SLOTS_FOR_SHORT = 2
const MAX_TEXTS = 1000
/** With a longer queue, clients would time out before their turn. */
const MAX_WAITING = 1000

/** At most `slots` statements run concurrently, and at most `maxWaiting` wait. */
export function createStatementLimiter(slots: number, maxWaiting = MAX_WAITING): StatementLimiter {
  const short = { all: slots, ofKey: Math.max(1, slots - SLOTS_FOR_OTHERS) }
  const long = Math.max(1, slots - SLOTS_FOR_SHORT)
  const limiter = createConcurrencyLimiter<Duration>({
    slots: short,
    classes: { short, long: { all: long, ofKey: long } },
    maxWaiting,
  })
  const earlier = createEarlierRuns()
  return {
    run: ({ text, isLong, workspaceId }, work) =>
      limiter.run(
        { class: (earlier.of(text)?.ms ?? (isLong ? LONG_MS : 0)) >= LONG_MS ? 'long' : 'short', key: workspaceId },
        async () => {
          const startedAt = performance.now()
          try {
            const result = await work(earlier.of(text)?.runs ?? 0)
            earlier.add(text, performance.now() - startedAt)
            return result
          } catch (error) {
            // A cancelled statement would have taken longer.
            earlier.addAtLeast(text, performance.now() - startedAt)
            throw error
          }
        },
      ),
  }
}

interface EarlierRuns {
  readonly runs: number
  /** A moving average of the milliseconds that the text took. */
  readonly ms: number
}

function createEarlierRuns() {
  const cached = createLru<string, EarlierRuns>(MAX_TEXTS)
  const add = (text: string, ms: number): void => {
    const previous = cached.get(text) ?? { runs: 0, ms }
    cached.set(text, { runs: previous.runs + 1, ms: (previous.ms + ms) / 2 })
  }
  return {
    of: (text: string): EarlierRuns | undefined => cached.get(text),
    add,
    addAtLeast(text: string, ms: number): void {
      if (ms > (cached.get(text)?.ms ?? 0)) add(text, ms)
    },
  }
}

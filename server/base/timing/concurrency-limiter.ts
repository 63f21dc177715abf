/**
 * Limits how much work runs concurrently, in classes of work. What waits gets its turn by class, then by key, round robin, so that a
 * key with much work does not delay the others. See docs/decisions/overload.md.
 */

import { serviceOverloaded } from '#base/errors/http'
import { createDelayedCall } from './wait'

export interface WorkOf<Class extends string> {
  readonly class: Class
  /** Who shares the slots: a workspace. */
  readonly key: string
}

export interface ConcurrencyLimiter<Class extends string> {
  /** Runs the work when its turn comes. Throws 503 when too much work waits, or when this work has waited too long. */
  run<T>(of: WorkOf<Class>, work: () => Promise<T>): Promise<T>
  state(): Readonly<Record<Class, ClassState>>
}

export interface ClassState {
  readonly running: number
  readonly waiting: number
  /** Since the start. */
  readonly refused: number
}

interface LimiterOptions<Class extends string> {
  /** How much work runs concurrently. */
  readonly slots: Slots
  /** How many of the slots a class may use. The first class has its turns first, and is refused last. */
  readonly classes: Readonly<Record<Class, Slots>>
  /** Work beyond this number is refused at once. */
  readonly maxWaiting: number
  /** Whether work that waits too long is refused. */
  readonly refusesLate?: boolean
  /** Monotonic milliseconds. */
  readonly clock?: () => number
}

interface Slots {
  readonly all: number
  /** How many of them one key may use. */
  readonly ofKey: number
}

interface Waiting {
  readonly since: number
  start(): void
  refuse(error: unknown): void
}

/** The work of one class. */
interface Line {
  readonly slots: Slots
  running: number
  waiting: number
  refused: number
  readonly runningByKey: Counts
  /** What waits, the oldest first, by key. The first key has the next turn. */
  readonly queues: Map<string, Waiting[]>
  /** For how long work was late until `lateAt`, in milliseconds, minus a part of the time in which none was. */
  lateMs: number
  /** When the last late work stopped waiting. */
  lateAt: number
  /** A moving average of how long work runs, in milliseconds. */
  average: number
}

// Controlled delay for queues of requests: a short burst may wait. A queue that stands is kept short, because a longer one makes work wait
// and gets nothing done earlier.

/** Work is late when it waits for longer than this time, and for longer than this many times the average. */
const LATE_MS = 20
const LATE_AVERAGES = 2
/** A queue stands when its work was late for this time, or for this many times the average. Until then, work may wait as long. */
const BURST_MS = 500
const BURST_AVERAGES = 4
/** Time in which no work is late counts by this part, so that an overload with breaks is one overload. */
const RECOVERY = 1 / 10
/** The longest late time that counts, in bursts. A queue stands for five seconds without late work, longer than `Retry-After`. */
const MAX_BURSTS = 2
/** In a queue that stands, work waits at most this time, or this many times the average. Work that would be late is refused at once. */
const EXPIRY_MS = 50
/** Fewer are not refused at once: a page of the console sends some requests together. */
const MIN_WAITING = 8
/**
 * The parts of its own slots and of all slots that a class uses while its queue stands. With more, work runs longer, and not more of it
 * ends.
 */
const STANDING_PART = 0.25
const STANDING_PART_OF_ALL = 0.375
/** The weight of the newest time in the moving average. */
const WEIGHT = 1 / 16
const EXPIRY_CHECK_MS = 10

export function createConcurrencyLimiter<Class extends string>({
  slots,
  classes,
  maxWaiting,
  refusesLate = false,
  clock = () => performance.now(),
}: LimiterOptions<Class>): ConcurrencyLimiter<Class> {
  const names = Object.keys(classes) as Class[] // the keys of the record
  const lines = Object.fromEntries(names.map((name) => [name, newLine(classes[name], clock())])) as Readonly<
    Record<Class, Line>
  > // a line for each name
  const ordered = names.map((name) => lines[name])
  const totalOfKey = createCounts()
  const expiry = createDelayedCall(checkExpiry, EXPIRY_CHECK_MS)
  let running = 0
  let waiting = 0
  let expiredAt = 0

  function isFree(line: Line, key: string): boolean {
    const stands = line.waiting > 0 && isStanding(line)
    const part = stands ? STANDING_PART : 1
    const partOfAll = stands ? STANDING_PART_OF_ALL : 1
    return (
      running < partOfAll * slots.all &&
      totalOfKey.of(key) < partOfAll * slots.ofKey &&
      line.running < part * line.slots.all &&
      line.runningByKey.of(key) < part * line.slots.ofKey
    )
  }

  function occupy(line: Line, key: string): void {
    running++
    line.running++
    line.runningByKey.add(key)
    totalOfKey.add(key)
  }

  function release(line: Line, key: string): void {
    running--
    line.running--
    line.runningByKey.subtract(key)
    totalOfKey.subtract(key)
    if (waiting === 0) return
    expire()
    startNext()
  }

  /** A class of which nothing runs goes first, so that each class gets its turns. Then they go in their order. */
  function startNext(): void {
    if (waiting === 0 || running >= slots.all) return
    const isStarted =
      ordered.some((line) => line.running === 0 && startOneOf(line)) || ordered.some((line) => startOneOf(line))
    if (isStarted) startNext()
  }

  function startOneOf(line: Line): boolean {
    if (line.waiting === 0 || line.running >= line.slots.all) return false
    for (const [key, queue] of line.queues) {
      if (!isFree(line, key)) continue
      const next = queue.shift()
      line.queues.delete(key)
      if (queue.length > 0) line.queues.set(key, queue)
      if (next !== undefined) noteWait(line, clock() - next.since)
      leave(line)
      occupy(line, key)
      next?.start()
      return true
    }
    return false
  }

  function leave(line: Line): void {
    waiting--
    line.waiting--
  }

  const isStanding = (line: Line): boolean => refusesLate && lateMsAt(line, clock()) >= burstOf(line)

  /** Counts a wait that ends now, or that begins now and would be as long. */
  function noteWait(line: Line, ms: number): void {
    if (ms <= latenessOf(line)) return
    const now = clock()
    const late = Math.min(ms, now - line.lateAt)
    line.lateMs = Math.min(lateMsAt(line, now - late) + late, MAX_BURSTS * burstOf(line))
    line.lateAt = now
  }

  function refuse(line: Line, work: Waiting): void {
    noteWait(line, clock() - work.since)
    leave(line)
    line.refused++
    work.refuse(serviceOverloaded())
  }

  /** Refuses what has waited too long. */
  function expire(): void {
    const now = clock()
    if (!refusesLate || now - expiredAt < 1) return
    expiredAt = now
    for (const line of ordered) {
      if (line.waiting === 0) continue
      const patience = isStanding(line) ? Math.max(EXPIRY_MS, latenessOf(line)) : burstOf(line)
      for (const [key, queue] of line.queues) {
        const kept = queue.findIndex(({ since }) => now - since <= patience)
        const late = queue.splice(0, kept === -1 ? queue.length : kept)
        if (queue.length === 0) line.queues.delete(key)
        for (const work of late) refuse(line, work)
      }
    }
  }

  function checkExpiry(): void {
    expire()
    if (waiting > 0) expiry.request()
  }

  /** Makes room in a full queue for work of a key: refuses the newest work of a lower class, or of a key that has more of it waiting. */
  function makeRoom(line: Line, key: string): boolean {
    for (const other of ordered.slice(ordered.indexOf(line)).toReversed()) {
      if (other.waiting === 0) continue
      const [longest, queue] = [...other.queues].reduce((most, each) => (each[1].length > most[1].length ? each : most))
      if (other === line && queue.length <= (line.queues.get(key)?.length ?? 0) + 1) continue
      const newest = queue.pop()
      if (newest === undefined) continue
      if (queue.length === 0) other.queues.delete(longest)
      refuse(other, newest)
      return true
    }
    return false
  }

  /** Whether work that begins to wait in a queue that stands would be late. Other keys take turns with its key. */
  function wouldBeLate(line: Line, key: string): boolean {
    const before = line.queues.get(key)?.length ?? 0
    if (before < MIN_WAITING || !isStanding(line)) return false
    const ms = (before * line.average) / Math.max(1, line.runningByKey.of(key))
    noteWait(line, ms)
    return ms > latenessOf(line)
  }

  function wait(line: Line, key: string): Promise<void> {
    expire()
    if (wouldBeLate(line, key) || (waiting >= maxWaiting && !makeRoom(line, key))) {
      line.refused++
      throw serviceOverloaded()
    }
    waiting++
    line.waiting++
    if (refusesLate) expiry.request()
    return new Promise<void>((start, refuse) => {
      const work = { since: clock(), start, refuse }
      const queue = line.queues.get(key)
      if (queue === undefined) line.queues.set(key, [work])
      else queue.push(work)
    })
  }

  return {
    async run({ class: name, key }, work) {
      const line = lines[name]
      if (!line.queues.has(key) && isFree(line, key)) occupy(line, key)
      else await wait(line, key)
      const startedAt = clock()
      try {
        return await work()
      } finally {
        line.average += (clock() - startedAt - line.average) * WEIGHT
        release(line, key)
      }
    },
    state: () =>
      Object.fromEntries(
        names.map((name) => {
          const { running, waiting, refused } = lines[name]
          return [name, { running, waiting, refused }]
        }),
      ) as Record<Class, ClassState>, // a state for each name
  }
}

const newLine = (slots: Slots, now: number): Line => ({
  slots,
  running: 0,
  waiting: 0,
  refused: 0,
  runningByKey: createCounts(),
  queues: new Map(),
  lateMs: 0,
  lateAt: now,
  average: 0,
})

const latenessOf = ({ average }: Line): number => Math.max(LATE_MS, LATE_AVERAGES * average)

const lateMsAt = ({ lateMs, lateAt }: Line, at: number): number => Math.max(0, lateMs - (at - lateAt) * RECOVERY)

const burstOf = ({ average }: Line): number => Math.max(BURST_MS, BURST_AVERAGES * average)

/** Counts by key. A key without a count takes no memory. */
export interface Counts {
  of(key: string): number
  add(key: string): void
  subtract(key: string): void
}

export function createCounts(): Counts {
  const counts = new Map<string, number>()
  return {
    of: (key) => counts.get(key) ?? 0,
    add: (key) => void counts.set(key, (counts.get(key) ?? 0) + 1),
    subtract(key) {
      const left = (counts.get(key) ?? 1) - 1
      if (left === 0) counts.delete(key)
      else counts.set(key, left)
    },
  }
}

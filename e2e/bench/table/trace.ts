/** The processor time of the main thread of a page, from a trace of Chromium. */

import type { CDPSession, Page } from 'playwright'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds. */
  readonly ts: number
  readonly dur?: number
  /** Microseconds of processor time. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** Milliseconds of processor time. */
export interface MainThread {
  /** The work of each frame: all tasks from the beginning of a frame to that of the next one. */
  readonly frames: readonly number[]
  /** The work of everything, by its kind. A kind excludes the kinds within it. */
  readonly byKind: ReadonlyMap<string, number>
}

const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8', 'blink.user_timing']

export async function traceMainThread(page: Page, work: () => Promise<unknown>): Promise<MainThread> {
  const session = await page.context().newCDPSession(page)
  const events = await trace(session, work)
  await session.detach()
  const own = eventsOfMainThread(events)
  return { frames: framesOf(own), byKind: selfTimes(own) }
}

async function trace(session: CDPSession, work: () => Promise<unknown>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[]))) // as Chromium writes them
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.start', { traceConfig: { includedCategories: CATEGORIES } })
  await work()
  await session.send('Tracing.end')
  await complete
  return events
}

/** Of several pages, the one that worked most. */
function eventsOfMainThread(events: readonly TraceEvent[]): TraceEvent[] {
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
  const all = threads.map(({ pid, tid }) =>
    events.filter((event) => event.ph === 'X' && event.pid === pid && event.tid === tid),
  )
  const workOf = (own: readonly TraceEvent[]) => own.filter(isTask).reduce((sum, { tdur = 0 }) => sum + tdur, 0)
  const [own] = all.toSorted((one, other) => workOf(other) - workOf(one))
  return (own ?? []).toSorted((one, other) => one.ts - other.ts || (other.dur ?? 0) - (one.dur ?? 0))
}

const isTask = ({ name }: TraceEvent): boolean => name === 'RunTask'

function framesOf(events: readonly TraceEvent[]): number[] {
  const starts = events.filter(({ name }) => name === 'FireAnimationFrame').map(({ ts }) => ts)
  const tasks = events.filter(isTask)
  return starts.slice(0, -1).map((from, at) => {
    const to = starts[at + 1] ?? Infinity
    const within = tasks.filter(({ ts, dur = 0 }) => ts + dur > from && ts + dur <= to)
    return within.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1000
  })
}

/** Events of a thread are nested. */
function selfTimes(events: readonly TraceEvent[]): Map<string, number> {
  const byKind = new Map<string, number>()
  const add = (name: string, microseconds: number) => byKind.set(name, (byKind.get(name) ?? 0) + microseconds / 1000)
  const open: TraceEvent[] = []
  for (const event of events) {
    while (open.length > 0 && endOf(open.at(-1)) <= event.ts) open.pop()
    add(event.name, event.tdur ?? 0)
    const around = open.at(-1)
    if (around) add(around.name, -(event.tdur ?? 0))
    open.push(event)
  }
  return byKind
}

const endOf = (event: TraceEvent | undefined): number => (event ? event.ts + (event.dur ?? 0) : 0)

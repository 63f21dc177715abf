/**
 * What one lane knows of what waits for its webhook, so that it need not ask again for what this process has just made
 * itself. First attempts are in the order of their positions, and none is left out: where it cannot be sure, it says that
 * it is not whole, and learns from the database. Decision 0068.
 */

import type { Found, Waiting } from './pending-deliveries'

export interface Backlog {
  /** Whether it knows of every first attempt that waits, and is handed whatever comes. */
  readonly isWhole: boolean
  /** How many first attempts it can name. */
  readonly size: number
  /** Takes what was just made, the oldest first; nothing was made between that and what it was handed before. */
  hand(made: readonly Waiting[]): void
  /** Something may have been made that it was not handed. */
  miss(): void
  /** Begins to read, and says what for. One reading at a time. */
  ask(): Asking
  /** Ends the reading. */
  learn(found: Pick<Found, 'first' | 'again' | 'isAll'>): void
  /** The next first attempt. */
  next(): Waiting | undefined
  /** The next of those that are to be made again. */
  nextAgain(): Waiting | undefined
  /** What came of it is recorded, so it is not found waiting any more. */
  forget(id: string): void
}

export interface Asking {
  /** What is known already. */
  readonly skip: ReadonlySet<string>
  /** First attempts above this position are not needed. Undefined: all are. */
  readonly upTo: number | undefined
}

interface Reading {
  /** Handed meanwhile, to a backlog that was not whole. */
  readonly handed: Waiting[]
  /** Recorded meanwhile: it may have been seen waiting. */
  readonly recorded: string[]
  isMissing: boolean
}

interface State {
  /** What is named here, being sent, or sent and not recorded: it would be found waiting again. */
  readonly known: Set<string>
  readonly first: Waiting[]
  readonly again: Waiting[]
  /** How many first attempts it may hold now. */
  readonly most: () => number
  isWhole: boolean
  reading: Reading | undefined
  /** The position of the newest first attempt that was ever taken in. */
  last: number
}

/** `made` is all there is, where somebody knows. `most` is how many first attempts it may hold now. */
export function createBacklog(most: () => number, made?: readonly Waiting[]): Backlog {
  const known = new Set<string>()
  const isWhole = made !== undefined
  const state: State = { known, first: [], again: [], most, isWhole, reading: undefined, last: 0 }
  hand(state, made ?? [])
  return {
    get isWhole() {
      return state.isWhole
    },
    get size() {
      return state.first.length
    },
    hand: (more) => hand(state, more),
    miss: () => miss(state),
    ask: () => ask(state),
    learn: (found) => learn(state, found),
    next: () => state.first.shift(),
    nextAgain: () => state.again.shift(),
    forget(id) {
      if (state.reading === undefined) known.delete(id)
      else state.reading.recorded.push(id)
    },
  }
}

function hand(state: State, made: readonly Waiting[]): void {
  // What was committed before it was said may have been found by a reading.
  const unseen = made.filter(({ position }) => position > state.last)
  if (!state.isWhole) {
    state.reading?.handed.push(...unseen)
    return
  }
  const room = Math.max(state.most() - state.first.length, 0)
  add(state, unseen.slice(0, room))
  if (unseen.length > room) miss(state)
}

function add(state: State, waiting: readonly Waiting[]): void {
  for (const { id, position } of waiting) {
    state.known.add(id)
    state.last = Math.max(state.last, position)
  }
  state.first.push(...waiting)
}

function miss(state: State): void {
  state.isWhole = false
  if (state.reading !== undefined) state.reading.isMissing = true
}

function ask(state: State): Asking {
  state.reading = { handed: [], recorded: [], isMissing: false }
  return { skip: new Set(state.known), upTo: state.isWhole ? state.last : undefined }
}

function learn(state: State, found: Pick<Found, 'first' | 'again' | 'isAll'>): void {
  const { known, again, first } = state
  const { handed = [], recorded = [], isMissing = true } = state.reading ?? {}
  state.reading = undefined
  const isNew = ({ id }: Waiting) => !known.has(id)
  add(state, found.first.filter(isNew))
  first.sort((a, b) => a.position - b.position)
  const more = found.again.filter(isNew)
  for (const { id } of more) known.add(id)
  again.push(...more)
  for (const id of recorded) known.delete(id)
  state.isWhole = found.isAll && !isMissing
  if (state.isWhole) hand(state, handed)
}

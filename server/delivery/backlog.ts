/**
 * What one lane knows of what waits for its webhook, so that it need not ask again for what this process has just made
 * itself. First attempts are in the order of their positions, and none is left out: where it cannot be sure, it says that
 * it is not whole, and learns from the database. Decision 0068.
 */

import type { Found, Waiting } from './waiting'

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

/** `made` is all there is, where somebody knows. `most` is how many first attempts it may hold now. */
export function createBacklog(most: () => number, made?: readonly Waiting[]): Backlog {
  const known = new Set<string>()
  let first: Waiting[] = []
  let again: Waiting[] = []
  let isWhole = made !== undefined
  let reading: Reading | undefined
  /** Of the newest first attempt that was ever taken in. */
  let last = 0

  const add = (waiting: readonly Waiting[]) => {
    for (const { id, position } of waiting) {
      known.add(id)
      last = Math.max(last, position)
    }
    first.push(...waiting)
  }

  const miss = () => {
    isWhole = false
    if (reading !== undefined) reading.isMissing = true
  }

  const hand = (all: readonly Waiting[]) => {
    const unseen = all.filter(({ position }) => position > last)
    if (!isWhole && reading !== undefined) reading.handed.push(...unseen)
    if (!isWhole) return
    const room = Math.max(most() - first.length, 0)
    add(unseen.slice(0, room))
    if (unseen.length > room) miss()
  }
  hand(made ?? [])

  return {
    get isWhole() {
      return isWhole
    },
    get size() {
      return first.length
    },
    hand,
    miss,
    ask() {
      reading = { handed: [], recorded: [], isMissing: false }
      return { skip: new Set(known), upTo: isWhole ? last : undefined }
    },
    learn(found) {
      const { handed = [], recorded = [], isMissing = true } = reading ?? {}
      reading = undefined
      const isNew = ({ id }: Waiting) => !known.has(id)
      add(found.first.filter(isNew))
      first.sort((a, b) => a.position - b.position)
      const more = found.again.filter(isNew)
      for (const { id } of more) known.add(id)
      again.push(...more)
      for (const id of recorded) known.delete(id)
      isWhole = found.isAll && !isMissing
      if (isWhole) hand(handed)
    },
    next: () => first.shift(),
    nextAgain: () => again.shift(),
    forget(id) {
      if (reading === undefined) known.delete(id)
      else reading.recorded.push(id)
    },
  }
}

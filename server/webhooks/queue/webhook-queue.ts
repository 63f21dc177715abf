/**
 * One webhook's turn: first attempts one after the other, in the order of their events; those to be made again beside
 * them, so that they hold nothing up. Then it stays a moment for what comes next.
 * See docs/reference/webhooks-and-events.md (Attempts) and decisions 0062 and 0068.
 */

import { createBacklog, type Backlog } from './backlog'
import { createWakeSignal } from './wake-signal'
import { createAttemptSender, type AttemptSender, type AttemptSenderOptions } from '../send/attempt-sender'
import type { Lease } from './lease'
import type { Made } from '../match/insert-deliveries'
import { MOST_FIRST, MOST_FIRST_FAILING, type WebhookTarget, type Reader, type Waiting } from './pending-deliveries'

export interface WebhookQueueOptions extends AttemptSenderOptions {
  readonly reader: Reader
  /** How long it stays when nothing is due. */
  readonly lingerMs: number
  /** Whether this process goes on; a turn ends soon when it does not. */
  readonly isRunning: () => boolean
  /** Whether others wait for a place; then turns are short and nobody stays. */
  readonly isCrowded: () => boolean
}

export interface WebhookQueue {
  /** Something may be due. */
  ring(): void
  /** Takes what this process has just made, after what it made before. */
  hand(made: Made): void
  /** Something may have been made that is not handed to it. */
  miss(): void
  /** The lease is another's. */
  lose(): void
  /** Resolves when everything that was sent is recorded. */
  readonly ended: Promise<void>
}

const TURN_MS = 2_000
/** Then even a busy lane gives its lease back, where it is found out since when something waits. */
const LONGEST_MS = 3_600_000
/** A receiver that fails gets first attempts and others by turns of this length. */
const SLICE_MS = 1_000
/** However busy, it is looked this often for what is to be made again, and whether the webhook is still its own. */
const LOOK_MS = 1_000
/** More is read before what there is runs out. */
const FEW = 25

/** `made` is all that waits for the webhook, where somebody knows. */
export function openWebhookQueue(parts: WebhookQueueOptions, lease: Lease, made?: Made): WebhookQueue {
  const wakeSignal = createWakeSignal()
  const begun = performance.now()
  const state: State = { hook: made?.hook, isAsked: made === undefined, isLost: false, lookedAt: begun, begun }
  const most = () => (isFailing(state) ? MOST_FIRST_FAILING : MOST_FIRST)
  const backlog = createBacklog(most, made?.first)
  const queue: Parts = { ...parts, lease, state, backlog, wakeSignal, sender: createAttemptSender(parts, backlog) }
  return {
    ring() {
      state.isAsked = true
      wakeSignal.ring()
    },
    hand({ hook, first }) {
      state.hook = hook
      backlog.hand(first)
      wakeSignal.ring()
    },
    miss: backlog.miss,
    lose() {
      state.isLost = true
      wakeSignal.ring()
    },
    ended: work(queue),
  }
}

interface State {
  /** As it was last seen; undefined before that. */
  hook: WebhookTarget | undefined
  isAsked: boolean
  /** The lease is another's, or nobody can say. */
  isLost: boolean
  problem?: unknown
  lookedAt: number
  looking?: Promise<void> | undefined
  again?: Promise<void> | undefined
  readonly begun: number
}

interface Parts extends WebhookQueueOptions {
  readonly lease: Lease
  readonly state: State
  readonly backlog: Backlog
  readonly wakeSignal: ReturnType<typeof createWakeSignal>
  readonly sender: AttemptSender
}

const isFailing = ({ hook }: State): boolean => hook !== undefined && hook.failures > 0

async function work(queue: Parts): Promise<void> {
  const { state, wakeSignal, sender } = queue
  try {
    while (goesOn(queue)) {
      wakeSignal.still()
      if (shouldLook(queue)) state.looking = look(queue)
      const { hook } = state
      const delivery = hook && nextOf(queue)
      if (hook && delivery) await sender.attempt(hook, delivery)
      else if (!(await somethingComes(queue))) break
    }
  } finally {
    await state.looking
    await state.again
    await sender.recorded()
  }
  if (state.problem !== undefined) throw state.problem
}

function goesOn({ state, isRunning, isCrowded }: Parts): boolean {
  const spent = performance.now() - state.begun
  return !state.isLost && isRunning() && spent < LONGEST_MS && (spent < TURN_MS || !isCrowded())
}

function shouldLook({ state, backlog }: Parts): boolean {
  if (state.looking !== undefined) return false
  const isShort = !backlog.isWhole && backlog.size < (isFailing(state) ? 1 : FEW)
  return state.isAsked || isShort || performance.now() > state.lookedAt + LOOK_MS
}

async function look({ state, backlog, reader, lease, wakeSignal }: Parts): Promise<void> {
  state.isAsked = false
  state.lookedAt = performance.now()
  try {
    const found = await reader.read(lease, backlog.ask())
    if (found === undefined) state.isLost = true
    else {
      state.hook = found.hook
      backlog.learn(found)
    }
  } catch (error) {
    state.isLost = true
    state.problem = error
  }
  state.looking = undefined
  wakeSignal.ring()
}

/**
 * The next attempt to be made in turn. A receiver that hangs has one request at a time, because the runtime has a number
 * of requests at most under way; one that is well gets those that are made again beside the others.
 */
function nextOf(queue: Parts): Waiting | undefined {
  const { state, backlog } = queue
  if (!isFailing(state)) {
    state.again ??= sendAgain(queue)
    return backlog.next()
  }
  if (state.again !== undefined) return undefined
  const isFirsts = Math.floor((performance.now() - state.begun) / SLICE_MS) % 2 === 0
  return isFirsts ? (backlog.next() ?? backlog.nextAgain()) : (backlog.nextAgain() ?? backlog.next())
}

/** Undefined when there is nothing to make again. */
function sendAgain(queue: Parts): Promise<void> | undefined {
  const delivery = queue.backlog.nextAgain()
  return delivery && sendOneByOne(queue, delivery)
}

async function sendOneByOne(queue: Parts, first: Waiting): Promise<void> {
  const { state, backlog, wakeSignal, sender } = queue
  try {
    for (let delivery: Waiting | undefined = first; delivery !== undefined && state.hook !== undefined;) {
      await sender.attempt(state.hook, delivery)
      delivery = goesOn(queue) && !isFailing(state) ? backlog.nextAgain() : undefined
    }
  } finally {
    state.again = undefined
    wakeSignal.ring()
  }
}

/** Waits for more. False when it is not worth waiting for. */
async function somethingComes({ state, wakeSignal, isCrowded, lingerMs }: Parts): Promise<boolean> {
  if (state.looking !== undefined || state.again !== undefined) return wakeSignal.rung()
  return !isCrowded() && wakeSignal.rung(lingerMs)
}

/**
 * Limits how many requests of callers run concurrently. When more arrive than the process answers, it refuses them with 503 before it reads
 * their bodies. Event streams have a limit of their own: each takes a connection and memory, and reads when its workspace changes.
 * See docs/decisions/overload.md.
 */
import { tooManyStreams } from '#base/errors/http'
import {
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
  createCounts,
  type WorkOf,
} from '#base/timing/concurrency-limiter'

/** The first class is refused last. `interactive`: of the console, and reads of single entities. */
export type RequestClass = 'interactive' | 'normal' | 'heavy'

export type RequestLimiter = ConcurrencyLimiter<RequestClass>

/** Requests beyond these only wait for the connections of the process. */
const SLOTS_PER_CONNECTION = 4
/** The parts of the slots. A class leaves the rest to those before it. */
const PARTS = { normal: 0.8, heavy: 0.5 }
/** A workspace leaves the rest to the others, even if all its requests wait for a lock. */
const SHARE_OF_WORKSPACE = 0.75
const MAX_WAITING = 1000

/** `connections` is the size of the pool for writes. `clock` returns monotonic milliseconds. */
export function createRequestLimiter(connections: number, clock?: () => number): RequestLimiter {
  const slots = (part: number) => {
    const all = Math.floor(SLOTS_PER_CONNECTION * connections * part)
    return { all, ofKey: Math.max(1, Math.floor(all * SHARE_OF_WORKSPACE)) }
  }
  return createConcurrencyLimiter<RequestClass>({
    slots: slots(1),
    classes: { interactive: slots(1), normal: slots(PARTS.normal), heavy: slots(PARTS.heavy) },
    maxWaiting: MAX_WAITING,
    refusesLate: true,
    ...(clock !== undefined && { clock }),
  })
}

interface ClassifiedRoute {
  readonly path: string
  readonly isHeavy?: boolean
  readonly body?: unknown
}

interface LimitedCaller {
  readonly workspaceId: string
  /** Undefined for a member at the console. */
  readonly clientId?: string
}

/** Returns a function that returns the class and the workspace of a request to the route. */
export function compileLimitedWork({ path, isHeavy = false, body }: ClassifiedRoute) {
  const isSingle = /\/:\w+$/.test(path)
  return (request: Request, { workspaceId, clientId }: LimitedCaller): WorkOf<RequestClass> => {
    if (isHeavy || (body !== undefined && hasLargeBody(request))) return { class: 'heavy', key: workspaceId }
    const isInteractive = clientId === undefined || (isSingle && request.method === 'GET')
    return { class: isInteractive ? 'interactive' : 'normal', key: workspaceId }
  }
}

/** A body above this size may arrive slowly. */
const LARGE_BODY = 64 * 1024

/** A body of an unknown size counts as large. */
function hasLargeBody({ headers }: Request): boolean {
  const length = headers.get('content-length')
  return length === null ? headers.has('transfer-encoding') : Number(length) > LARGE_BODY
}

interface StreamCaller {
  readonly key: string
  readonly workspaceId: string
}

export interface StreamLimiter {
  /** Counts a stream until the returned function is called. Throws 429 when the caller or the workspace has too many. */
  open(caller: StreamCaller): () => void
}

/** In one process. An app or an integration needs one or two, a person at the console one for each visible tab. */
const LIMITS = { ofCaller: 50, ofWorkspace: 1000 }

export function createStreamLimiter(limits = LIMITS): StreamLimiter {
  const callers = createCounts()
  const workspaces = createCounts()
  return {
    open({ key, workspaceId }) {
      if (callers.of(key) >= limits.ofCaller) throw tooManyStreams('caller', limits.ofCaller)
      if (workspaces.of(workspaceId) >= limits.ofWorkspace) throw tooManyStreams('workspace', limits.ofWorkspace)
      callers.add(key)
      workspaces.add(workspaceId)
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        callers.subtract(key)
        workspaces.subtract(workspaceId)
      }
    },
  }
}

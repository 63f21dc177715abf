/**
 * Limits how many event streams are open concurrently: each takes a connection and memory, and reads when its workspace changes.
 * See docs/decisions/overload.md.
 */

import { tooManyStreams } from '#base/errors/http'
import { createCounts } from '#base/timing/concurrency-limiter'

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

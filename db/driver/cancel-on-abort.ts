/**
 * Cancels a query when a signal aborts, and again until the query ends: PostgreSQL ignores a cancellation that arrives before it has read
 * the query.
 *
 * Internals used: `state` of the driver's query object (class `Query` in `src/query.js`), which is null until a connection
 * has sent the query, and `canceller`, the function behind `cancel()`, which works once only.
 * Reason: after `cancel()` of a query whose connection is still being opened, the driver neither uses that connection
 * nor opens another one in its place. The cancellation therefore waits until the query was sent.
 */

interface CancellableQuery {
  cancel(): void
}

interface SentQuery {
  readonly state: object
  canceller(query: SentQuery): Promise<unknown>
}

const RETRY_MS = 10
const REPEAT_MS = 250

/** Returns a function that stops listening to the signal. It is called when the query has ended. */
export function cancelOnAbort(query: CancellableQuery, signal: AbortSignal | undefined): () => void {
  let timer: Timer | undefined
  const cancel = () => {
    const isSent = isSentQuery(query)
    // Without a connection for the cancellation, the next one is tried.
    if (isSent) query.canceller(query).catch(() => {})
    timer = setTimeout(cancel, isSent ? REPEAT_MS : RETRY_MS)
  }
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted === true) cancel()
  return () => {
    signal?.removeEventListener('abort', cancel)
    clearTimeout(timer)
  }
}

const isSentQuery = (query: object): query is SentQuery => 'state' in query && query.state !== null

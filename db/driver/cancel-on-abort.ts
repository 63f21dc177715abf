/**
 * Cancels a query when a signal aborts.
 *
 * Internal used: `state` of the driver's query object (class `Query` in `src/query.js`), which is null until a connection
 * has sent the query.
 * Reason: after `cancel()` of a query whose connection is still being opened, the driver neither uses that connection
 * nor opens another one in its place. The cancellation therefore waits until the query was sent.
 */

interface CancellableQuery {
  cancel(): void
}

const RETRY_MS = 10

/** Returns a function that stops listening to the signal. */
export function cancelOnAbort(query: CancellableQuery, signal: AbortSignal | undefined): () => void {
  let retry: Timer | undefined
  const cancel = () => {
    if (isSent(query)) query.cancel()
    else retry = setTimeout(cancel, RETRY_MS)
  }
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted === true) cancel()
  return () => {
    signal?.removeEventListener('abort', cancel)
    clearTimeout(retry)
  }
}

const isSent = (query: object): boolean => 'state' in query && query.state !== null

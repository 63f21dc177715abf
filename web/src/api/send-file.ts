/** Sends a file and tells how far it is, which `fetch` cannot. */

export interface FileSending {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
  /** Hears how many bytes are on their way. */
  readonly onSent: ((bytes: number) => void) | undefined
}

/** Answers like `fetch`, and rejects as it does: with the signal's reason, or when there is no answer. */
export async function sendFile(
  address: string,
  file: Blob,
  { method, headers, signal, onSent }: FileSending,
): Promise<Response> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const request = new XMLHttpRequest()
  const abort = () => request.abort()
  request.open(method, address)
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.upload.addEventListener('progress', ({ loaded }) => onSent?.(loaded))
  request.addEventListener('load', () => resolve(answerOf(request)))
  request.addEventListener('error', () => reject(new TypeError('The connection was closed before a response arrived.')))
  request.addEventListener('abort', () => reject(signal?.reason))
  signal?.addEventListener('abort', abort)
  request.send(file)
  return promise.finally(() => signal?.removeEventListener('abort', abort))
}

const answerOf = ({ status, responseText }: XMLHttpRequest): Response => new Response(responseText || null, { status })

/** Sends a file with progress events, which `fetch` does not have. */

export interface FileSending {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
  /** Called with the number of bytes that were sent. */
  readonly onSent: ((bytes: number) => void) | undefined
  /** Called with the text of a successful response that has arrived. */
  readonly onReceived: ((text: string) => void) | undefined
}

/** Resolves and rejects like `fetch`: with the response, with the reason of the signal, or with a `TypeError` without a response. */
export async function sendFile(
  url: string,
  file: Blob | FormData,
  { method, headers, signal, onSent, onReceived }: FileSending,
): Promise<Response> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const request = new XMLHttpRequest()
  const abort = () => request.abort()
  request.open(method, url)
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.upload.addEventListener('progress', ({ loaded }) => onSent?.(loaded))
  request.addEventListener('progress', () => {
    if (request.status === 200) onReceived?.(request.responseText)
  })
  request.addEventListener('load', () => resolve(responseOf(request)))
  request.addEventListener('error', () => reject(new TypeError('The connection was closed before a response arrived.')))
  request.addEventListener('abort', () => reject(signal?.reason))
  signal?.addEventListener('abort', abort)
  request.send(file)
  return promise.finally(() => signal?.removeEventListener('abort', abort))
}

const responseOf = ({ status, responseText }: XMLHttpRequest): Response =>
  new Response(responseText || null, { status })

/** Sends HTTP requests as raw bytes, for requests that no client library sends. */

import { connect } from 'node:net'

export interface RawAnswer {
  /** 0 when the connection was closed without a response. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The maximum wait for a response on a busy machine. */
const PATIENCE_MS = 60_000

/** Sends the bytes on a new connection and returns the response; `Connection: close` must be among the headers. */
export function sendRaw(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    const tooLate = setTimeout(() => socket.destroy(new Error('The service did not answer.')), PATIENCE_MS)
    let failure: Error | undefined
    const isGet = Buffer.from(bytes).subarray(0, 4).toString() === 'GET '
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      // An event stream does not end, except for one with the response to a call.
      if (chunks.length === 1 && isGet && /^content-type: text\/event-stream/im.test(chunk.toString('latin1')))
        socket.destroy()
    })
    socket.on('error', (error) => (failure = error))
    socket.on('close', () => {
      clearTimeout(tooLate)
      // The service may close the connection before it has read the whole request.
      const isCutOff =
        failure !== undefined && 'code' in failure && ['ECONNRESET', 'EPIPE'].includes(String(failure.code))
      if (failure !== undefined && !isCutOff) reject(failure)
      else resolve(parseAnswer(Buffer.concat(chunks)))
    })
    socket.write(bytes)
  })
}

/** Sends the bytes and closes the connection before a response can arrive. */
export function sendAndLeave(url: string, bytes: string | Uint8Array): Promise<void> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.write(bytes, () => socket.destroy())
  })
}

/** Returns the text of a request without a body. `headers` are its header lines. */
export const requestText = (method: string, target: string, headers: readonly string[], version = 'HTTP/1.1'): string =>
  [`${method} ${target} ${version}`, ...headers, 'Connection: close', '', ''].join('\r\n')

function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes
    .subarray(0, end < 0 ? bytes.length : end)
    .toString('latin1')
    .split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
    }),
  )
  const body = end < 0 ? Buffer.alloc(0) : bytes.subarray(end + 4)
  const isChunked = headers['transfer-encoding'] === 'chunked'
  return { status: Number(first.split(' ')[1] ?? 0), headers, body: (isChunked ? joinChunks(body) : body).toString() }
}

function joinChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = lineEnd < 0 ? 0 : Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    if (!(size > 0)) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}

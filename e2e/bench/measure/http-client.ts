/**
 * Sends HTTP requests over one kept connection, one at a time, for as little processor time as possible: the client
 * shares the machine with what it measures. Reads only what our own two servers send: a status and a Content-Length.
 */

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Sent as JSON. */
  readonly body?: object
}

export interface Connection {
  /** Resolves with the status once the whole answer is here. */
  send(bytes: Uint8Array): Promise<number>
  close(): void
}

const encoder = new TextEncoder()
const NOTHING = Buffer.alloc(0)

/** What stands on the wire. */
export function renderRequest({ method, path, body }: Request, key: string): Uint8Array {
  const content = body === undefined ? '' : JSON.stringify(body)
  const length =
    content === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(content)}\r\n`
  return encoder.encode(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nAccept-Encoding: identity\r\n` +
      `${length}\r\n${content}`,
  )
}

interface Pending {
  resolve(status: number): void
  reject(error: Error): void
}

/** An answer of which a part is here. */
interface Partial {
  readonly status: number
  /** Where its body begins in what was read of it first. */
  readonly begin: number
  remaining: number
}

/** `read` gets the bodies of answers, piece by piece; they are valid only meanwhile. */
export async function openConnection(port: number, read?: (piece: Buffer) => void): Promise<Connection> {
  let pending: Pending | undefined
  let partial: Partial | undefined
  let head: Buffer = NOTHING

  const take = (chunk: Buffer): void => {
    if (partial) {
      partial.remaining -= chunk.length
      read?.(chunk)
    } else {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      partial = readHead(head)
      if (partial) read?.(head.subarray(partial.begin))
    }
    if (partial?.remaining !== 0) return
    const { status } = partial
    partial = undefined
    head = NOTHING
    pending?.resolve(status)
  }
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, chunk) => take(chunk),
      close: () => pending?.reject(new Error('The server closed the connection.')),
      error: (_, error) => pending?.reject(error),
    },
  })
  return {
    send: (bytes) =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject }
        if (socket.write(bytes) !== bytes.length) reject(new Error('The socket did not take a whole request.'))
      }),
    close: () => socket.end(),
  }
}

/** Undefined while the head is not complete. */
function readHead(bytes: Buffer): Partial | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const length = /content-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`An answer without a length: ${head}`)
  return { status: Number(head.slice(9, 12)), begin: end + 4, remaining: Number(length) - (bytes.length - end - 4) }
}

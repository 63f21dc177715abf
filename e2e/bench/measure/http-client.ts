/**
 * Sends HTTP requests over one connection, one at a time, with as little CPU time as possible, because the client runs on the
 * machine that it measures. Reads only what the service and the floor send: a status and a Content-Length.
 */

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** The body, which is sent as JSON. */
  readonly body?: object
}

export interface Connection {
  /** Sends a request in pieces. Resolves with the status when the whole response has arrived. */
  send(...pieces: readonly Uint8Array[]): Promise<number>
  close(): void
}

const encoder = new TextEncoder()
const NOTHING = Buffer.alloc(0)

/** Returns the bytes of a request. */
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

/** A response of which a part has arrived. */
interface Partial {
  readonly status: number
  /** The index of the body in the first bytes. */
  readonly begin: number
  remaining: number
}

/** `read` gets the bodies of responses, piece by piece. A piece is valid only during the call. */
export async function openConnection(port: number, read?: (piece: Buffer) => void): Promise<Connection> {
  let pending: Pending | undefined
  let partial: Partial | undefined
  let head: Buffer = NOTHING
  let unsent: Uint8Array[] = []

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
  /** Writes as much as the socket accepts. The client writes the rest when the socket's buffer is empty again. */
  const flush = (to: Pick<Bun.Socket, 'write'>): void => {
    for (let piece = unsent[0]; piece !== undefined; piece = unsent[0]) {
      const written = Math.max(0, to.write(piece)) // -1 when the socket is closed
      if (written < piece.length) {
        unsent[0] = piece.subarray(written)
        return
      }
      unsent.shift()
    }
  }
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, chunk) => take(chunk),
      drain: flush,
      close: () => pending?.reject(new Error('The server closed the connection.')),
      error: (_, error) => pending?.reject(error),
    },
  })
  return {
    send: (...pieces) =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject }
        unsent = [...pieces]
        flush(socket)
      }),
    close: () => socket.end(),
  }
}

/** Returns undefined while the head is not complete. */
function readHead(bytes: Buffer): Partial | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const length = /content-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`An answer without a length: ${head}`)
  return { status: Number(head.slice(9, 12)), begin: end + 4, remaining: Number(length) - (bytes.length - end - 4) }
}

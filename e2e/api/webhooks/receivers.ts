/** Receivers whose responses a test controls to the byte. */

import { createServer, type Socket } from 'node:net'

export interface Received {
  /** The head of the request without the blank line. */
  readonly head: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

export interface Receiver {
  readonly port: number
  readonly received: readonly Received[]
  close(): void
}

/** Called once for each complete request. */
export type Behaviour = (socket: Socket, request: Received, count: number) => unknown

/** Uses sockets, so that no HTTP server changes the responses. */
export async function startReceiver(behave: Behaviour, port = 0): Promise<Receiver> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    let bytes = Buffer.alloc(0)
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk as Buffer]) // no encoding is set, so it is bytes
      for (let taken = takeRequest(bytes); taken !== undefined; taken = takeRequest(bytes)) {
        bytes = taken.rest
        behave(socket, taken.request, received.push(taken.request))
      }
    })
  })
  const listening = Promise.withResolvers<void>()
  server.listen(port, '127.0.0.1', listening.resolve)
  await listening.promise
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It does not listen.')
  return {
    port: address.port,
    received,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function takeRequest(bytes: Buffer): { request: Received; rest: Buffer<ArrayBuffer> } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.subarray(0, end).toString('latin1')
  const headers = new Map(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon), line.slice(colon + 1).trim()]
      }),
  )
  const length = Number(headers.get('Content-Length') ?? 0)
  const from = end + 4
  if (bytes.length < from + length) return undefined
  const body = Buffer.from(bytes.subarray(from, from + length))
  return { request: { head, headers, body }, rest: Buffer.from(bytes.subarray(from + length)) }
}

/** Sends a complete response without a body, and keeps the connection open. */
export const answer = (socket: Socket, status: number, ...headers: readonly string[]): void =>
  void socket.write([`HTTP/1.1 ${status} Whatever`, 'Content-Length: 0', ...headers, '', ''].join('\r\n'))

/** Returns the id of the list that the event in a request names. */
export const listIdOf = ({ body }: Received): string => JSON.parse(body.toString()).events[0].id.list_id

/** A relay between a client and a database, which can behave like a stopped or unreachable database. */

import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface TcpRelay {
  /** The URL of the database through the relay. */
  readonly url: string
  /** Accepts connections and bytes and forwards nothing until `resume`. */
  pause(): void
  resume(): void
  /** Closes all connections and accepts no more until `accept`. */
  refuse(): void
  accept(): void
  close(): void
}

export async function startTcpRelay(databaseUrl: string): Promise<TcpRelay> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isPaused = false
  let isRefusing = false

  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    if (isPaused) socket.pause()
  }
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((socket) => {
    if (isRefusing) return socket.destroy()
    const toDatabase = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [socket, toDatabase],
      [toDatabase, socket],
    ] as const) {
      keep(from)
      from.on('data', (bytes) => to.write(bytes))
      from.on('close', () => to.destroy())
    }
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port

  const setPaused = (paused: boolean) => {
    isPaused = paused
    for (const socket of sockets) {
      if (paused) socket.pause()
      else socket.resume()
    }
  }
  return {
    url: url.href,
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    refuse() {
      isRefusing = true
      endAll()
    },
    accept: () => void (isRefusing = false),
    close() {
      endAll()
      server.close()
    },
  }
}

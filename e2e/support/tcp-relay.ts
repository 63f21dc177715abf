/** Stands between a client and a database, and can be as silent as one that was stopped, or away. */

import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface TcpRelay {
  /** The database's address by way of the relay. */
  readonly url: string
  /** Takes connections and bytes and passes nothing on until `resume`. */
  pause(): void
  resume(): void
  /** Ends all connections and takes no more until `accept`. */
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

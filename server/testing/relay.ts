/** Stands between a test and a server, as the address of a server that fails over or as a network that fails. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Relay {
  /** The address of the first server, on the port of the relay. */
  readonly url: string
  /** New connections lead to this server. */
  leadTo(to: URL): void
  /** Forwards nothing until the function that it returns is called. Connections stay open. */
  hold(): () => void
  endConnections(): void
  close(): void
}

/** Listens on a port of its own, and forwards new connections to a server. */
export async function startRelay(first: URL): Promise<Relay> {
  let target = first
  let isHeld = false
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const toServer = connect(Number(target.port), '127.0.0.1')
    for (const each of [socket, toServer]) sockets.add(each)
    socket.on('error', () => toServer.destroy()).on('close', () => toServer.destroy())
    toServer.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.pipe(toServer).pipe(socket)
    if (isHeld) for (const each of [socket, toServer]) each.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a server on a port has this form
  return {
    url: Object.assign(new URL(first), { port: String(port) }).href,
    leadTo: (to) => void (target = to),
    hold() {
      isHeld = true
      for (const each of sockets) each.pause()
      return () => {
        isHeld = false
        for (const each of sockets) each.resume()
      }
    },
    endConnections: () => sockets.forEach((socket) => socket.destroy()),
    close: () => void server.close(),
  }
}

import { createServer, type Server, type Socket } from 'node:net'

export interface SocketServers {
  /** Starts a server that reads and writes bytes, which may break the rules of HTTP. Returns its port. */
  readonly start: (answer: (socket: Socket, received: string) => void) => Promise<number>
  /** Closes the servers and their connections. */
  readonly close: () => void
}

/** Servers on the loopback address. Each calls `answer` when the head of a request has arrived, and at all later bytes. */
export function createSocketServers(): SocketServers {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  return {
    async start(answer) {
      const server = createServer((socket) => {
        sockets.add(socket)
        let received = ''
        socket.on('error', () => {})
        socket.on('data', (data) => {
          received += data.toString()
          if (received.includes('\r\n\r\n')) answer(socket, received)
        })
      })
      servers.push(server)
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
      return (server.address() as { port: number }).port // it listens on a port
    },
    close() {
      for (const socket of sockets) socket.destroy()
      for (const server of servers) server.close()
    },
  }
}

/** Finds a port for a process that a test starts. */

/** Systems take the local ports of outgoing connections from above these, of which a busy test run opens thousands. */
const PORTS = { from: 11_000, count: 20_000 }
const TRIES = 100

/** Another process that seeks a port at the same time may take it before its use. */
export function findFreePort(): number {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count)
    if (isFree(port)) return port
  }
  throw new Error(`None of ${TRIES} ports is free.`)
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
    return true
  } catch {
    return false
  }
}

/** A pool on which a test raises the events of a failing network in an order of its choice. */

import { connect as connectSocket, type Socket } from 'node:net'
import postgres from 'postgres'
import { preparedLimit, schemaLimit } from '#db/driver/limits'

export interface FaultyPool {
  readonly sql: postgres.Sql
  /** The sockets of the pool, in the order in which they were opened. */
  readonly sockets: readonly Socket[]
}

export interface FaultyPoolOptions {
  readonly max?: number
  readonly maxPrepared?: number
  /** A schema is the name that follows `from` in a statement. */
  readonly maxSchemas?: number
  /** The n-th socket, counted from 0, is connected when this promise resolves, or fails with it. */
  readonly beforeConnect?: (n: number) => Promise<unknown>
}

/** The pool's connections never prepare the array types, like those of `connect`. */
export function faultyPool(
  url: string,
  { max = 1, maxPrepared, maxSchemas, beforeConnect }: FaultyPoolOptions = {},
): FaultyPool {
  const sockets: Socket[] = []
  let opened = 0
  const open = async ({ host: [host], port: [port] }: { host: string[]; port: number[] }) => {
    await beforeConnect?.(opened++)
    const socket = connectSocket({ host, port: Number(port) })
    sockets.push(socket)
    await new Promise((connected, failed) => socket.once('connect', connected).once('error', failed))
    return socket
  }
  const limits = {
    ...(maxPrepared !== undefined && preparedLimit(maxPrepared)),
    ...(maxSchemas !== undefined && schemaLimit(maxSchemas, (text) => /from (\w+)\./.exec(text)?.[1])),
  }
  const options = { max, ...limits, fetch_types: false, backoff: () => 0, socket: open }
  return { sql: postgres(url, options), sockets }
}

/** Ends the connection of a socket as a failing network does: an error first, then the end. */
export function fail(socket: Socket | undefined): void {
  socket?.emit('error', Object.assign(new Error('The connection was reset.'), { code: 'ECONNRESET' }))
  end(socket, true)
}

/** Tells the driver that the connection has ended. */
export function end(socket: Socket | undefined, hadError: boolean): void {
  socket?.emit('close', hadError)
  socket?.destroy()
}

/** Resolves when the driver has handled the statements that were begun before, but has not flushed them. */
export const statementsHandled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

/** The cost of authentication, measured alone: within a get it is smaller than the difference between two runs. */

import type { Database } from '#db/connect'
import { createTokenAuthenticator } from '#access/tokens/authenticate'
import { systemClock } from '#base/timing/clock'

const TIMES = 200_000

/** Returns the CPU time in ms of authenticating a cached token. Only one request in five seconds is not cached. */
export async function costOfAuthenticating(db: Database, key: string): Promise<number> {
  const access = createTokenAuthenticator(db, systemClock())
  const header = `Bearer ${key}`
  const authenticate = async (times: number) => {
    for (let each = 0; each < times; each++) await access.authenticate(header)
  }
  await authenticate(TIMES / 10)
  const before = process.cpuUsage()
  await authenticate(TIMES)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / TIMES
}

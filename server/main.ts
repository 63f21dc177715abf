/** Starts the service and stops it when told to. `bun start` */

import { StartError } from '../db/start-error'
import { readConfig, type Config } from './config/config'
import type { Credentials } from './startup/first-workspace'
import { startService, type Service } from './startup/service'

/** A signal within this time of the first is the same one: Ctrl-C reaches us, and `bun start`, which hands it on. */
const SAME_SIGNAL_MS = 1000

try {
  await run(readConfig(process.env))
} catch (error) {
  fail(error)
}

async function run(config: Config): Promise<void> {
  const onRestart = () => console.error('PostgreSQL ended unexpectedly; it is being started again.')
  const starting = startService(config, { onRestart, onLost: fail })
  stopOnSignals(starting)
  const { credentials, isUnclaimed } = await starting
  if (credentials) announce(credentials)
  if (isUnclaimed) console.log(`Nobody has an account yet: open ${config.baseUrl}/sign-in and make the first.`)
  console.log(`Relata listens on ${addressOf(config)}; its documentation is at ${config.baseUrl}/docs.`)
}

/** The first signal stops in order, even while still starting; another one later at once. */
function stopOnSignals(starting: Promise<Service>): void {
  let toldAt: number | undefined
  const told = () => {
    if (toldAt !== undefined) {
      if (performance.now() - toldAt > SAME_SIGNAL_MS) process.exit(1)
      return
    }
    toldAt = performance.now()
    console.log('Stopping; running requests are being finished.')
    starting.then((service) => service.stop()).then(() => process.exit(0), fail)
  }
  process.on('SIGTERM', told).on('SIGINT', told)
}

function announce({ email_address, password, key }: Credentials): void {
  console.log('This is the first start. Keep what follows: it is not shown again.')
  console.log(`  Account:  ${email_address}`)
  console.log(`  Password: ${password}`)
  console.log(`  API key:  ${key}`)
}

function addressOf({ host, port }: Config): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** What a person can put right is told in a sentence, all else with what a developer needs. */
function fail(error: unknown): never {
  console.error(error instanceof StartError ? error.message : error)
  process.exit(1)
}

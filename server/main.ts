/** Starts the service and stops it when told to. `bun start` */

import { StartProblem } from '../db/start-problem'
import { readConfig, type Config } from './config'
import type { Credentials } from './first-start'
import { startService, type Service } from './service'

const config = attempt(() => readConfig(process.env))
const service = await startService(config, {
  onRestart: () => console.error('PostgreSQL ended unexpectedly; it is being started again.'),
  onLost: fail,
}).catch(fail)

stopOnSignals(service)
if (service.credentials) announce(service.credentials)
console.log(`Relata listens on ${addressOf(config)}; its documentation is at ${config.baseUrl}/docs.`)

/** The first signal stops in order; the second one at once. */
function stopOnSignals({ stop }: Service): void {
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(1)
      isStopping = true
      console.log('Stopping; running requests are being finished.')
      stop().then(() => process.exit(0), fail)
    })
  }
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

function attempt<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    return fail(error)
  }
}

/** What a person can put right is told in a sentence, all else with what a developer needs. */
function fail(error: unknown): never {
  console.error(error instanceof StartProblem ? error.message : error)
  process.exit(1)
}

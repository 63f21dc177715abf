/** Starts the service, and stops it at SIGTERM or SIGINT. `bun start` */

import type { Config } from './run/config/config'
import type { Credentials, Service } from './run/startup/service'
import { importInstalled } from './run/startup/installed-packages'

/** A second signal within this time is the same one: Ctrl-C reaches this process and `bun start`, which forwards it. */
const SAME_SIGNAL_MS = 1000

const [{ VERSION_TEXT }, { readConfig }, { explainFailure }, { startService }] = await importInstalled(() =>
  Promise.all([
    import('#db/program'),
    import('./run/config/config'),
    import('./run/startup/explain-failure'),
    import('./run/startup/service'),
  ]),
)

try {
  await run(readConfig(process.env))
} catch (error) {
  fail(error)
}

async function run(config: Config): Promise<void> {
  console.log(`Relata ${VERSION_TEXT}`)
  const onRestart = () => console.error('PostgreSQL ended unexpectedly; it is being started again.')
  const starting = startService(config, { onRestart, onLost: fail })
  stopOnSignals(starting)
  const { credentials, isUnclaimed } = await starting
  if (credentials) announce(credentials)
  if (isUnclaimed) console.log(`There are no accounts yet: open ${config.baseUrl}/sign-in and create the first one.`)
  console.log(`Relata listens on ${addressOf(config)}; its documentation is at ${config.baseUrl}/docs.`)
}

/** The first signal stops the service in order, also while it starts. A later one ends the process at once. */
function stopOnSignals(starting: Promise<Service>): void {
  let signalledAt: number | undefined
  const onSignal = () => {
    if (signalledAt !== undefined) {
      if (performance.now() - signalledAt > SAME_SIGNAL_MS) process.exit(1)
      return
    }
    signalledAt = performance.now()
    console.log('Stopping; running requests are being finished.')
    starting.then((service) => service.stop()).then(() => process.exit(0), fail)
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
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

/** Prints the message of an error that the operator can mend, and the stack of any other error. */
function fail(error: unknown): never {
  console.error(explainFailure(error) ?? error)
  process.exit(1)
}

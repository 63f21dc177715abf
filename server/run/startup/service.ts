/** Starts the service: database, first workspace, application, workers. Stops them in reverse. */
import http from 'node:http'
import { hasAccounts } from '#access/accounts/accounts'
import { COMMAND_LINE } from '#access/audit-log/audit'
import { checkInstallation } from '#access/installation/hold'
import { readIdentity } from '#access/installation/identity'
import { createKey } from '#access/tokens/api-keys'
import { runFirstStart } from '#api/console/session/first-start'
import { runtimeError } from '#api/http/response/error-from-exception'
import { logError, setLogLevel } from '#base/logging/log-error'
import { type Clock, systemClock } from '#base/timing/clock'
import { runPeriodically } from '#base/timing/run-periodically'
import { withTimeout } from '#base/timing/wait'
import { leaveStandby } from '#db/check-server'
import { type Database, StartError } from '#db/connect'
import type { SupervisorEvents } from '#db/embedded/supervise'
import { createSchemaCheck, MIGRATION_CHANNEL } from '#db/migrate'
import { scheduledBackupsOf } from '#run/backup/scheduled-backups'
import type { Config } from '#run/config/config'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { type App, createApp } from '../../app'
import { closeAppContext, startAppContext, stopWorkers } from './app-context'
import { type OpenDatabase, openServiceDatabase } from './open-database'

export interface Service {
  /** Undefined except at the first start. */
  readonly credentials: Credentials | undefined
  /** Whether there is no account yet: the first visitor of the console becomes its admin. */
  readonly isUnclaimed: boolean
  /** Takes no new requests, finishes those that run, closes everything. */
  stop(): Promise<void>
}

/** How long the service waits for running requests when it stops. */
const SHUTDOWN_TIMEOUT_MS = 10_000

/** How often a process finds out that it is connected to a standby after a failover. */
const STANDBY_CHECK_MS = 5_000

/** Bun's limit is above every limit of the service, which refuses a large body with an error body. */
const MAX_REQUEST_BODY_SIZE = 2 ** 40

const IDLE_SECONDS = 120

/** Above the longest accepted URL, so that the service refuses a longer one and not Bun, whose response is empty. */
const MAX_HEADER_BYTES = 64 * 1024

export async function startService(config: Config, supervision: SupervisorEvents): Promise<Service> {
  setLogLevel(config.logLevel)
  const database = await openServiceDatabase(config, supervision)
  try {
    return await serve(config, database)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function serve(config: Config, database: OpenDatabase): Promise<Service> {
  const { db, clusterDirectory } = database
  const now = systemClock()
  const found = await readIdentity(db.sql, { baseUrl: config.baseUrl, clusterDirectory })
  const decided = await checkInstallation(db.sql, { found, onCopy: config.onCopy, now: now() })
  if (decided !== undefined) console.log(decided)
  const credentials = await createFirstWorkspace(db, config, now)
  const stopping = new AbortController()
  const superseded = new AbortController()
  const appContext = await startAppContext(config, database, now, { shutdownSignal: stopping.signal, superseded })
  const app = createApp(appContext)
  try {
    listen(app, config)
  } catch (error) {
    await stopWorkers(appContext)
    await closeAppContext(appContext)
    throw error
  }
  const { eventsDays, indexUnusedDays } = config
  await appContext.workers.start({
    ...appContext,
    url: database.url,
    eventsDays,
    indexUnusedDays,
    backups: scheduledBackupsOf(config),
  })
  const stopAll = once(async () => {
    stopping.abort()
    await stopWorkers(appContext)
  })
  const onSuperseded = () => {
    logError('This process takes no requests any more; stop it.', superseded.signal.reason)
    // The workers meet the tables of the newer version.
    stopAll().catch((error: unknown) => logError('The workers could not be stopped in order.', error))
  }
  if (superseded.signal.aborted) onSuperseded()
  superseded.signal.addEventListener('abort', onSuperseded, { once: true })
  const schemaWatch = await watchSchema(db, superseded)
  const standbyCheck = runPeriodically(STANDBY_CHECK_MS, () => leaveStandby(db), 'The database could not be checked.')
  const stop = async () => {
    stopping.abort()
    await finishRequests(app)
    await stopAll().catch((error: unknown) => {
      if (!superseded.signal.aborted) throw error
    })
    await closeAppContext(appContext)
    await standbyCheck.stop()
    await schemaWatch.unlisten()
    await database.close()
  }
  return { credentials, isUnclaimed: !(await hasAccounts(db)), stop }
}

/** Returns a function that runs the work at its first call. */
function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => (running ??= work())
}

/** Aborts `superseded` when a process of a newer version migrates the database. See docs/decisions/readiness-and-metrics.md. */
async function watchSchema(db: Database, superseded: AbortController): Promise<{ unlisten(): Promise<void> }> {
  const compare = createSchemaCheck(db)
  const check = async () => {
    const difference = await compare()
    if (difference?.schema === 'newer') superseded.abort(difference.error)
  }
  const checkLogged = () => void check().catch((error: unknown) => logError('The schema could not be checked.', error))
  // A new connection of the listener may have missed a notification.
  return db.sql.listen(MIGRATION_CHANNEL, checkLogged, checkLogged)
}

function listen(app: App, { port, host, brand }: Config): void {
  // Bun allows to set it; the types are those of Node, where it is read-only.
  ;(http as { maxHeaderSize: number }).maxHeaderSize = MAX_HEADER_BYTES
  try {
    app.listen({
      port,
      hostname: host,
      // Otherwise a second service on the same port would start and take half of the requests.
      reusePort: false,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: MAX_REQUEST_BODY_SIZE,
      // Bun's error page for developers shows paths and source.
      development: false,
      error: runtimeError(brand),
    })
  } catch (error) {
    throw explainListening(error, host, port)
  }
}

function explainListening(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new StartError(`Port ${port} is in use by another program; set PORT to another one.`)
  if (code === 'EACCES') return new StartError(`This user may not listen on port ${port}; set PORT to 1024 or above.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(`HOST ${host} is not an address of this machine.`)
  }
  return error
}

async function finishRequests(app: App): Promise<void> {
  const { server } = app
  const isFinished = await withTimeout(
    app.stop().then(() => true),
    SHUTDOWN_TIMEOUT_MS,
  )
  if (isFinished !== undefined) return
  console.log(`Requests that still run after ${SHUTDOWN_TIMEOUT_MS / 1000} seconds are cut off.`)
  await server?.stop(true)
}

/** The credentials of the first administrator and key, which are printed once. The database has only their hashes. */
export interface Credentials {
  readonly email_address: string
  readonly password: string
  readonly key: string
}

type FirstStartConfig = Pick<Config, 'firstStart' | 'workspaceName' | 'adminEmail' | 'adminPassword'>

/** Returns undefined when a workspace exists, or when the first visitor of the console is to create it. */
export async function createFirstWorkspace(
  db: Database,
  config: FirstStartConfig,
  now: Clock,
): Promise<Credentials | undefined> {
  if (config.firstStart === 'browser') return undefined
  const email_address = config.adminEmail
  const password = config.adminPassword ?? madeUpPassword()
  const { workspaceName: workspace_name } = config
  const admin = { email_address, password, first_name: 'Admin', last_name: '', workspace_name }
  return runFirstStart(db, admin, now, async (inside, { workspaceId, memberId }) => {
    const input = { workspaceId, name: 'First key', scopes: READ_WRITE_SCOPES, authorizedBy: memberId, now: now() }
    const { token } = await createKey(inside, input, COMMAND_LINE)
    return { email_address, password, key: token }
  })
}

/** A password of 120 random bits. */
const madeUpPassword = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(15))).toString('base64url')

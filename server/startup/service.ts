/** Starts the service: database, first workspace, application, workers. Stops them in reverse. */

import http from 'node:http'
import type { SupervisorEvents } from '../../db/embedded/supervise'
import { StartError } from '../../db/start-error'
import { hasAccounts } from '../access/accounts/accounts'
import { createApp, type App } from '../app'
import type { Config } from '../config/config'
import { startImportWorker } from '../console/imports/worker'
import { createModelCache } from '../data-model/cache'
import { runEventPipeline } from '../webhooks/event-pipeline'
import { createSend } from '../webhooks/send/send-request'
import { createTargetPolicy } from '../webhooks/send/target'
import { createFirstWorkspace, type Credentials } from './first-workspace'
import { deleteExpiredAnswers } from '../http/idempotency/delete-expired'
import { runIndexWorker } from '../indexes/run-worker'
import { runtimeError } from '../http/response/runtime-error'
import { createIndexAdvisor } from '../indexes/advisor'
import { withTimeout } from '../timing/with-timeout'
import { createMailer } from '../email/send-email'
import { runDigests } from '../email/digests/send-digests'
import { runWebhookAlerts } from '../email/webhook-alerts/send-alerts'
import { createRateLimiter } from '../http/rate-limit/rate-limiter'
import { HOOKS_PATH } from '../resources/test-endpoints/save'
import { createMetrics } from '../http/monitoring/metrics'
import { openServiceDatabase, type OpenDatabase } from './open-database'
import { createCostLimit } from '../query/planning/cost-limit'
import { systemClock } from '../timing/clock'

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

/** Bun's limit is above every limit of the service, which refuses a large body with an error body. */
const MAX_REQUEST_BODY_SIZE = 2 ** 40

const IDLE_SECONDS = 120

/** Above the longest accepted URL, so that the service refuses a longer one and not Bun, whose response is empty. */
const MAX_HEADER_BYTES = 64 * 1024

export async function startService(config: Config, supervision: SupervisorEvents): Promise<Service> {
  const database = await openServiceDatabase(config, supervision)
  try {
    return await serve(config, database)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function serve(config: Config, database: OpenDatabase): Promise<Service> {
  const { db } = database
  const now = systemClock()
  const credentials = await createFirstWorkspace(db, config, now)
  const models = await createModelCache(db)
  const indexes = createIndexAdvisor({ db, now, fromRows: config.indexRows })
  const budget = createCostLimit(db, now, { perQuery: config.queryScoreLimit, perWindow: config.queryScoreWindow })
  const limits = createRateLimiter(db, now, {
    read: config.readLimit,
    write: config.writeLimit,
    merge: config.mergeLimit,
  })
  const { brand, issuer, baseUrl: appUrl, trustedProxies, appActor, bodyLimit, importLimit, objectQuota } = config
  const settings = { brand, issuer, appUrl, trustedProxies, appActor, bodyLimit, importLimit, objectQuota }
  const mail = createMailer(config.smtpUrl, config.mailFrom, console.log)
  const targets = createTargetPolicy({
    allowPrivate: config.allowPrivateTargets,
    own: { prefix: `${appUrl}${HOOKS_PATH}`, local: `${localAddress(config)}${HOOKS_PATH}` },
  })
  const metrics = config.metrics ? createMetrics() : undefined
  const events = await runEventPipeline({
    db,
    ...(metrics !== undefined && { recording: { onRefused: metrics.countRefusedAttempt } }),
    process: database.process,
    now,
    sending: {
      send: createSend(targets, config.webhookTimeout * 1000),
      brand,
      docsUrl: `${appUrl}/docs`,
      perSecond: config.webhookRate,
    },
    days: config.eventsDays,
  })
  const imports = startImportWorker({ db, now, onWritten: events.wake })
  const stopping = new AbortController()
  const app = createApp({
    db,
    shutdownSignal: stopping.signal,
    models,
    now,
    indexes,
    budget,
    limits,
    metrics,
    targets,
    events,
    imports,
    mail,
    settings,
  })
  const endWork = async () => {
    await imports.stop()
    await events.stop()
    mail.close()
    await indexes.close()
    await models.close()
  }
  try {
    listen(app, config)
  } catch (error) {
    await endWork()
    throw error
  }
  const worker = await runIndexWorker({ db, url: database.url, now, unusedDays: config.indexUnusedDays })
  const expiry = deleteExpiredAnswers(db, now)
  const alerts = runWebhookAlerts({ db, now, mail, settings })
  const digests = runDigests({ db, models, now, mail, settings })
  const stop = async () => {
    stopping.abort()
    await finishRequests(app)
    await expiry.stop()
    await worker.stop()
    await alerts.stop()
    await digests.stop()
    await endWork()
    await database.close()
  }
  return { credentials, isUnclaimed: !(await hasAccounts(db)), stop }
}

/** The address at which this process can reach itself. */
function localAddress({ port, host }: Config): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
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

/** The whole service: database, first start, application, listening; and how it stops. */

import http from 'node:http'
import type { SupervisorEvents } from '../../db/embedded/supervise'
import { StartError } from '../../db/start-error'
import { hasAccounts } from '../access/accounts/accounts'
import { createApp, type App } from '../app'
import type { Config } from '../config/config'
import { runImports } from '../console/imports/worker'
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
import { runWebhookAlerts } from '../email/webhook-alerts/send-alerts'
import { createRateLimiter } from '../http/rate-limit/rate-limiter'
import { HOOKS_PATH } from '../resources/test-endpoints/save'
import { createMetrics } from '../http/monitoring/metrics'
import { openServiceDatabase, type OpenDatabase } from './open-database'
import { createCostLimit } from '../query/planning/cost-limit'
import { systemClock } from '../timing/clock'

export interface Service {
  /** Only of the very first start. */
  readonly credentials: Credentials | undefined
  /** Whether the first person to open the console becomes its first admin. */
  readonly isUnclaimed: boolean
  /** Takes no new requests, finishes those that run, closes everything. */
  stop(): Promise<void>
}

/** How long running requests may take to finish once the service was told to stop. */
const PATIENCE_MS = 10_000

/** Far above any limit of ours, which is checked while a body is read and answered properly. */
const MAX_REQUEST_BODY_SIZE = 2 ** 40

const IDLE_SECONDS = 120

/** Above the longest URL we accept, so that a longer one is refused by us and not by the runtime's empty answer. */
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
    ...(metrics !== undefined && { onRefused: metrics.countRefusedAttempt }),
    process: database.process,
    now,
    send: createSend(targets, config.webhookTimeout * 1000),
    brand,
    docsUrl: `${appUrl}/docs`,
    days: config.eventsDays,
    perSecond: config.webhookRate,
  })
  const imports = runImports({ db, now, onWritten: events.wake })
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
  const forgetting = deleteExpiredAnswers(db, now)
  const notices = runWebhookAlerts({ db, now, mail, settings })
  const stop = async () => {
    stopping.abort()
    await finishRequests(app)
    await forgetting.stop()
    await worker.stop()
    await notices.stop()
    await endWork()
    await database.close()
  }
  return { credentials, isUnclaimed: !(await hasAccounts(db)), stop }
}

/** Where this process reaches itself. */
function localAddress({ port, host }: Config): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

function listen(app: App, { port, host, brand }: Config): void {
  // Bun lets it be set; the types are Node's, which does not.
  ;(http as { maxHeaderSize: number }).maxHeaderSize = MAX_HEADER_BYTES
  try {
    app.listen({
      port,
      hostname: host,
      // A second service must not take half of the requests unnoticed.
      reusePort: false,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: MAX_REQUEST_BODY_SIZE,
      // The runtime's page for developers shows paths and source.
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
    PATIENCE_MS,
  )
  if (isFinished !== undefined) return
  console.log(`Requests that still run after ${PATIENCE_MS / 1000} seconds are cut off.`)
  await server?.stop(true)
}

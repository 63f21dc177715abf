/** Makes the `AppContext` of this process, and ends it. */
import { systemResolveTxt } from '#access/domains/domains'
import { describeHold, type HoldWatch, watchHold } from '#access/installation/hold'
import { createOpenIdClient } from '#access/providers/openid-client'
import { createRequestLimiter, createStreamLimiter } from '#api/http/concurrency/request-limiter'
import { createMetrics, type Metrics, type QueueState } from '#api/http/monitoring/metrics'
import { createRequestCounter, type RequestMonitor } from '#api/http/monitoring/observe-requests'
import { createRateLimiter, type RateLimits } from '#api/http/rate-limit/rate-limiter'
import { createRecentRequests } from '#api/http/recent-requests/recent-requests'
import { openReplica, type Replica } from '#api/http/replica/replica'
import { createVideoClient } from '#api/resources/call-recordings/fetch/video-client'
import { HOOKS_PATH } from '#api/resources/test-endpoints/save'
import { createOtlpClient, renderMetrics } from '#base/monitoring/otlp'
import { createStatementMonitor } from '#base/monitoring/statement-monitor'
import { createTracer, spanTime, type Tracer } from '#base/monitoring/tracer'
import type { Clock } from '#base/timing/clock'
import { type RunningWorker, runPeriodically } from '#base/timing/run-periodically'
import { createStatisticsOfWorkers } from '#base/timing/worker-statistics'
import type { AppContext, ServiceSettings } from '#context'
import { createMailer } from '#crm/email/send-email'
import { createPictureClient } from '#crm/record-pictures/picture-client'
import { connect, connectionName, type Database, StartError } from '#db/connect'
import { measureStatements } from '#db/driver/measure-statements'
import { VERSION } from '#db/program'
import { createModelCache } from '#engine/data-model/cache'
import { createIndexAdvisor } from '#engine/indexes/advisor'
import { outboxWriterOf } from '#engine/outbox/outbox'
import { createCostLimit } from '#engine/query/planning/cost-limit'
import { createSqlRunner, type SqlRunner } from '#engine/sql/run/sql-runner'
import { type EventPipeline, type EventPipelineOptions, runEventPipeline } from '#events/webhooks/event-pipeline'
import { createSend } from '#events/webhooks/send/send-request'
import { createTargetPolicy, type TargetPolicy } from '#events/webhooks/send/target'
import { scheduledBackupsOf } from '#run/backup/scheduled-backups'
import type { Config } from '#run/config/config'
import { createAccountServers } from '#transfer/connected-accounts/servers'
import type { MailClients } from '#transfer/connected-accounts/sign-in/providers'
import { runDeadWorkerCheck } from './dead-workers'
import { openBlobStore, type OpenDatabase } from './open-database'
import { createWorkers, type Workers } from './workers'

/** The `AppContext` of the service, whose event pipeline runs. */
interface RunningContext extends AppContext {
  readonly events: EventPipeline
  readonly workers: Workers
  readonly sqlRunner: SqlRunner
  readonly hold: HoldWatch
  readonly deadWorkerCheck: RunningWorker
  readonly telemetry: Telemetry | undefined
}

/** What ends the work of the process. */
interface ProcessSignals {
  readonly shutdownSignal: AbortSignal
  readonly superseded: AbortController
}

export async function startAppContext(
  config: Config,
  database: OpenDatabase,
  now: Clock,
  { shutdownSignal, superseded }: ProcessSignals,
): Promise<RunningContext> {
  const { db, process } = database
  const telemetry = startTelemetry(config, process, () => metrics)
  const tracer = telemetry?.tracer
  const { queryScoreLimit, queryScoreWindow } = config
  const deadWorkerCheck = await runDeadWorkerCheck(db, now)
  const models = await createModelCache(db)
  const targets = targetPolicyOf(config)
  const concurrency = createRequestLimiter(config.databaseConnections)
  const statistics = createStatisticsOfWorkers()
  const sqlRunner = sqlRunnerOf(config, database, shutdownSignal)
  const replica = await replicaOf(config, database)
  const hasMetrics = config.metrics || telemetry !== undefined
  const metrics = hasMetrics
    ? createMetrics({
        isServed: config.metrics,
        concurrency: concurrency.state,
        workers: statistics.states,
        publisher: () => publisherQueueOf(db),
        sql: sqlRunner.state,
        replica: replica?.state,
        droppedSpans: tracer?.dropped,
      })
    : undefined
  const recording = metrics === undefined ? {} : { recording: { onRefused: metrics.countRefusedAttempt } }
  const sending = sendingOptions(config, targets)
  const events = await runEventPipeline({
    db,
    now,
    process,
    sending,
    days: config.eventsDays,
    statistics,
    tracer,
    ...recording,
  })
  const hold = await watchHold(db, (installation) => {
    console.log(describeHold(installation))
    metrics?.setHeld(installation.hold !== undefined)
    events.rereadDeliveries()
  })
  return {
    db,
    models,
    now,
    replica,
    blobs: openBlobStore(config, db, process),
    indexes: createIndexAdvisor({ db, now, fromRows: config.indexRows }),
    costLimit: createCostLimit(db, now, { perQuery: queryScoreLimit, perWindow: queryScoreWindow }),
    concurrency,
    streams: createStreamLimiter(),
    limits: createRateLimiter(db, now, rateLimitsOf(config)),
    targets,
    events,
    hold,
    metrics,
    telemetry,
    monitor: monitorOf(config, db, tracer),
    requests: createRequestCounter(),
    recentRequests: createRecentRequests(db, now),
    workers: createWorkers(statistics),
    pictures: createPictureClient(targets),
    videos: createVideoClient(targets),
    sqlRunner,
    shutdownSignal,
    superseded,
    resolveTxt: systemResolveTxt,
    mail: createMailer(config.smtpUrl, config.mailFrom, console.log),
    providers: createOpenIdClient(targets),
    accountServers: createAccountServers({
      targets,
      allowPrivate: config.allowPrivateTargets,
      mailClients: mailClientsOf(config),
    }),
    settings: settingsOf(config),
    deadWorkerCheck,
  }
}

/** Stops all that the process does beside requests. The workers, whose writes wake the event pipeline, stop first. */
export async function stopWorkers({ workers, events, hold, deadWorkerCheck }: RunningContext): Promise<void> {
  await workers.stop()
  await deadWorkerCheck.stop()
  await hold.stop()
  await events.stop()
}

/** Closes what requests use. */
export async function closeAppContext({
  db,
  replica,
  sqlRunner,
  mail,
  indexes,
  recentRequests,
  models,
  telemetry,
}: RunningContext): Promise<void> {
  measureStatements(db.sql, undefined)
  await telemetry?.stop()
  await sqlRunner.close()
  await replica?.close()
  mail.close()
  await indexes.close()
  await recentRequests?.close()
  await models.close()
}

/** Also begins to measure statements. Undefined when the settings ask for nothing. */
function monitorOf(
  { requestLog: logsRequests, slowStatements }: Config,
  db: Database,
  tracer: Tracer | undefined,
): RequestMonitor | undefined {
  const slowMs = slowStatements === 0 ? undefined : slowStatements
  if (tracer !== undefined || slowMs !== undefined)
    measureStatements(db.sql, createStatementMonitor({ tracer, slowMs }))
  const logsStatements = slowMs !== undefined
  return logsRequests || logsStatements || tracer !== undefined ? { logsRequests, logsStatements, tracer } : undefined
}

/** The writes of this process whose events are not published yet, by workspaces. */
function publisherQueueOf(db: Database): QueueState {
  const { waiting, oldestMs } = outboxWriterOf(db).unpublished.length()
  return { waiting, oldestSeconds: oldestMs / 1000 }
}

const sqlRunnerOf = (config: Config, { db, url }: OpenDatabase, shutdown: AbortSignal): SqlRunner =>
  createSqlRunner({
    db,
    url: config.sqlDatabaseUrl ?? url,
    replicaUrl: config.sqlDatabaseUrl ?? config.replicaUrl,
    connections: config.sqlConnections,
    timeoutMs: config.sqlTimeout * 1000,
    shutdown,
  })

/** Its pools are as large as those on the primary. */
async function replicaOf(
  { replicaUrl, databaseConnections: max, queryTimeout }: Config,
  { db, process }: OpenDatabase,
): Promise<Replica | undefined> {
  if (replicaUrl === undefined) return undefined
  // The position of the coordinator says nothing about the nodes.
  if (db.isDistributed)
    throw new StartError(
      'RELATA_REPLICA_URL does not work with Citus: a replica of the coordinator has no rows of workspaces.',
    )
  const options = { max, applicationName: connectionName(process), queryTimeoutMs: queryTimeout * 1000 }
  return openReplica({ db, open: (onClose) => connect(replicaUrl, { ...options, onClose, maxWorkspaces: Infinity }) })
}

const rateLimitsOf = ({ readLimit, writeLimit, mergeLimit, recordingLimit, sqlLimit }: Config): RateLimits => ({
  read: readLimit,
  write: writeLimit,
  merge: mergeLimit,
  recording: recordingLimit,
  sql: sqlLimit,
})

const targetPolicyOf = (config: Config): TargetPolicy =>
  createTargetPolicy({
    allowPrivate: config.allowPrivateTargets,
    own: { prefix: `${config.baseUrl}${HOOKS_PATH}`, local: `${localAddress(config)}${HOOKS_PATH}` },
  })

/** The URL at which this process can reach itself. */
function localAddress({ port, host }: Config): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

const sendingOptions = (
  { webhookTimeout, webhookRate, brand, baseUrl }: Config,
  targets: TargetPolicy,
): EventPipelineOptions['sending'] => ({
  send: createSend(targets, webhookTimeout * 1000),
  brand,
  docsUrl: `${baseUrl}/docs`,
  perSecond: webhookRate,
})

/** Connections of half a megabit a second are fast enough. */
const UPLOAD = { file: 50 * 1024 * 1024, idleMs: 30_000, totalMs: 900_000 }

/** Their client ids and secrets are set together. */
function mailClientsOf(config: Config): MailClients {
  const clientOf = (clientId: string | undefined, clientSecret: string | undefined) =>
    clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret }
  const other = clientOf(config.mailClientId, config.mailClientSecret)
  return {
    google: clientOf(config.googleClientId, config.googleClientSecret),
    microsoft: clientOf(config.microsoftClientId, config.microsoftClientSecret),
    ...(config.mailIssuer !== undefined &&
      other !== undefined && {
        other: {
          ...other,
          issuer: config.mailIssuer,
          name: config.mailProviderName,
          scope: config.mailScope,
          calendarScope: config.calendarScope,
          calendarUrl: config.calendarUrl,
        },
      }),
  }
}

function settingsOf(config: Config): ServiceSettings {
  const {
    brand,
    issuer,
    baseUrl: appUrl,
    trustedProxies,
    appActor,
    bodyLimit,
    importLimit,
    objectQuota,
    memberQuota,
    trashDays,
    sendLimit,
    strictContract,
  } = config
  const provider = providerOf(config)
  const backups = scheduledBackupsOf(config)
  return {
    brand,
    issuer,
    appUrl,
    trustedProxies,
    appActor,
    bodyLimit,
    importLimit,
    upload: UPLOAD,
    objectQuota,
    memberQuota,
    trashDays,
    sendLimit,
    strictContract,
    ...(provider !== undefined && { provider }),
    ...(backups !== undefined && { backups }),
  }
}

/** The settings of the provider are all set, or none of them is. */
function providerOf({ oidcName: name, oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret }: Config) {
  if (issuer === undefined || clientId === undefined || oidcClientSecret === undefined) return undefined
  return { name, issuer, clientId, clientSecret: oidcClientSecret }
}

/** Sends traces and metrics of this process to the receiver that the settings name. See docs/decisions/traces.md. */
interface Telemetry {
  readonly tracer: Tracer
  /** Sends what is left. */
  stop(): Promise<void>
}

/** The default of the specification. */
const METRICS_EVERY_MS = 60_000

type TelemetrySettings = Pick<
  Config,
  | 'otlpEndpoint'
  | 'otlpHeaders'
  | 'otlpServiceName'
  | 'otlpResource'
  | 'otlpSampler'
  | 'otlpSamplerRatio'
  | 'otlpDisabled'
>

/** Returns undefined when the settings name no receiver. `process` is the name of this process. */
function startTelemetry(settings: TelemetrySettings, process: string, metrics: () => Metrics | undefined) {
  const { otlpEndpoint: endpoint, otlpHeaders: headers = {}, otlpServiceName, otlpResource } = settings
  if (endpoint === undefined || settings.otlpDisabled) return undefined
  const resource = {
    'service.name': 'relata',
    'service.version': VERSION,
    'service.instance.id': process,
    ...otlpResource,
    ...(otlpServiceName !== undefined && { 'service.name': otlpServiceName }),
  }
  const client = createOtlpClient({ endpoint, headers, resource })
  const tracer = createTracer(client, { sampler: settings.otlpSampler, ratio: settings.otlpSamplerRatio })
  const startedAt = performance.timeOrigin
  const sendMetrics = async () => {
    const families = metrics()?.families() ?? []
    await client.send('metrics', () => renderMetrics(resource, families, { startedAt, now: spanTime() }))
  }
  const sending = runPeriodically(METRICS_EVERY_MS, sendMetrics, 'Metrics could not be sent.')
  return {
    tracer,
    async stop() {
      const isSent = sending.stop().then(sendMetrics)
      await Promise.all([tracer.stop(), isSent])
    },
  } satisfies Telemetry
}

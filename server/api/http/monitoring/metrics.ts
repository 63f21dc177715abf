/** The metrics of this process. docs/monitoring/README.md lists them. */

import type { BackupState } from '#access/installation/backup-schedule'
import { type Replica, REPLICA_STATUSES, type ReplicaState } from '#api/http/replica/replica'
import type { RequestClass, RequestLimiter } from '#api/http/concurrency/request-limiter'
import { counter, gauge, type MetricFamily, type NumberFamily, only } from '#base/monitoring/metric-families'
import type { ClassState } from '#base/timing/concurrency-limiter'
import type { StatisticsOfWorkers, WorkerState } from '#base/timing/worker-statistics'
import type { SqlState } from '#engine/sql/run/sql-runner'

export interface Metrics {
  /** Whether `/metrics` serves them. Otherwise they are only sent. */
  readonly isServed: boolean
  /** Counts an answered request and its duration. */
  countRequest(operation: string, status: number, seconds: number): void
  /** Counts a delivery attempt that the database refused to store unchanged. */
  countRefusedAttempt(): void
  /** Whether webhooks and emails are held. */
  setHeld(isHeld: boolean): void
  /** The scheduled backups of the installation. */
  setBackups(state: BackupState): void
  /** The length of a queue of the installation. */
  setQueue(name: string, length: QueueState): void
  families(): MetricFamily[]
}

export interface QueueState {
  readonly waiting: number
  /** For how long the first of it waits; 0 when nothing waits. */
  readonly oldestSeconds: number
}

/** The parts of a process whose counts the metrics read at each scrape. */
export interface MetricSources {
  /** True by default. */
  readonly isServed?: boolean
  /** Returns the requests that run, wait and were refused, by class. */
  readonly concurrency?: RequestLimiter['state']
  readonly workers?: StatisticsOfWorkers['states']
  /** Returns the length of the queue of the publisher, which each process has in memory. */
  readonly publisher?: () => QueueState
  readonly sql?: () => SqlState
  /** Absent without a replica. */
  readonly replica?: Replica['state'] | undefined
  /** Returns how many spans could not be exported. Absent without traces. */
  readonly droppedSpans?: (() => number) | undefined
}

/** The upper bounds of the histogram in seconds. Clients time out after ten or thirty seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

interface Observations {
  readonly byStatus: Map<number, number>
  readonly counts: number[]
  seconds: number
}

export function createMetrics(sources: MetricSources = {}): Metrics {
  const operations = new Map<string, Observations>()
  const queues = new Map<string, QueueState>()
  let attemptsRefused = 0
  let held = 0
  let backups: BackupState | undefined

  return {
    isServed: sources.isServed ?? true,
    countRequest(operation, status, seconds) {
      const observed = operations.get(operation) ?? noObservations()
      operations.set(operation, observed)
      observed.byStatus.set(status, (observed.byStatus.get(status) ?? 0) + 1)
      const bucket = BUCKETS.findIndex((bound) => seconds <= bound)
      const index = bucket === -1 ? BUCKETS.length : bucket
      observed.counts[index] = (observed.counts[index] ?? 0) + 1
      observed.seconds += seconds
    },
    countRefusedAttempt() {
      attemptsRefused += 1
    },
    setHeld(isHeld) {
      held = isHeld ? 1 : 0
    },
    setBackups(state) {
      backups = state
    },
    setQueue(name, length) {
      queues.set(name, length)
    },
    families: () => [
      ...requestFamilies(operations),
      ...classFamilies((sources.concurrency ?? noRequests)()),
      ...workerFamilies((sources.workers ?? noWorkers)()),
      ...queueFamilies(
        sources.publisher === undefined ? queues : new Map(queues).set('publisher', sources.publisher()),
      ),
      ...sqlFamilies((sources.sql ?? noSql)()),
      ...(sources.replica === undefined ? [] : replicaFamilies(sources.replica())),
      counter(
        'relata_attempts_refused_total',
        'Attempts at deliveries that could not be kept as they were.',
        only(attemptsRefused),
      ),
      gauge('relata_held', 'Whether webhooks and emails are held, because the database may be a copy.', only(held)),
      ...(backups === undefined ? [] : backupFamilies(backups)),
      ...(sources.droppedSpans === undefined
        ? []
        : [counter('relata_spans_dropped_total', 'Spans that could not be exported.', only(sources.droppedSpans()))]),
      ...processFamilies(),
    ],
  }
}

const noObservations = (): Observations => ({
  byStatus: new Map(),
  counts: Array.from({ length: BUCKETS.length + 1 }, () => 0),
  seconds: 0,
})

const requestFamilies = (operations: ReadonlyMap<string, Observations>): MetricFamily[] => [
  counter(
    'relata_requests_total',
    'Requests answered.',
    [...operations].flatMap(([operation, { byStatus }]) =>
      [...byStatus].map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
    ),
  ),
  {
    name: 'relata_request_seconds',
    help: 'How long answers took.',
    type: 'histogram',
    bounds: BUCKETS,
    samples: [...operations].map(([operation, { counts, seconds }]) => ({
      labels: { operation },
      counts,
      sum: seconds,
    })),
  },
]

const NONE: ClassState = { running: 0, waiting: 0, refused: 0 }
const noRequests = (): Readonly<Record<RequestClass, ClassState>> => ({ interactive: NONE, normal: NONE, heavy: NONE })

function classFamilies(state: ReturnType<RequestLimiter['state']>): MetricFamily[] {
  const samples = (member: keyof ClassState) =>
    Object.entries(state).map(([name, each]) => ({ labels: { class: name }, value: each[member] }))
  return [
    gauge('relata_requests_running', 'Requests of callers that run.', samples('running')),
    gauge('relata_requests_waiting', 'Requests of callers that wait for their turn.', samples('waiting')),
    counter(
      'relata_requests_overloaded_total',
      'Requests refused with 503, because too many arrived.',
      samples('refused'),
    ),
  ]
}

const noWorkers = (): ReturnType<StatisticsOfWorkers['states']> => []

function workerFamilies(states: ReturnType<StatisticsOfWorkers['states']>): MetricFamily[] {
  const samples = (member: keyof WorkerState) =>
    states.map(([worker, state]) => ({ labels: { worker }, value: state[member] }))
  return [
    gauge('relata_worker_running', 'Pieces of work that run.', samples('running')),
    counter('relata_worker_runs_total', 'Pieces of work that ended.', samples('runs')),
    counter('relata_worker_failures_total', 'What failed in them.', samples('failures')),
    counter('relata_worker_seconds_total', 'How long all of them took.', samples('seconds')),
  ]
}

function queueFamilies(queues: ReadonlyMap<string, QueueState>): MetricFamily[] {
  const samples = (member: keyof QueueState): NumberFamily['samples'] =>
    [...queues].map(([queue, state]) => ({ labels: { queue }, value: state[member] }))
  return [
    gauge('relata_queue_waiting', 'Work that is due and that no process has taken.', samples('waiting')),
    gauge('relata_queue_oldest_seconds', 'For how long the first of it is due.', samples('oldestSeconds')),
  ]
}

const noSql = (): SqlState => ({ running: 0, waiting: 0, refused: 0, timedOut: 0 })

const sqlFamilies = ({ running, waiting, refused, timedOut }: SqlState): MetricFamily[] => [
  gauge('relata_sql_running', 'SQL statements of callers that run.', only(running)),
  gauge('relata_sql_waiting', 'SQL statements of callers that wait for a connection.', only(waiting)),
  counter('relata_sql_refused_total', 'SQL statements of callers that got no connection.', only(refused)),
  counter('relata_sql_timed_out_total', 'SQL statements of callers that the time limit ended.', only(timedOut)),
]

const replicaFamilies = ({ status, lagSeconds, reads }: ReplicaState): MetricFamily[] => [
  gauge('relata_replica_used', 'Whether reads run on the replica.', only(status === 'used' ? 1 : 0)),
  gauge(
    'relata_replica_status',
    'The state of the replica: 1 for the one that holds.',
    REPLICA_STATUSES.map((each) => ({ labels: { status: each }, value: each === status ? 1 : 0 })),
  ),
  gauge(
    'relata_replica_lag_seconds',
    'For how long the replica has not had all that the primary had.',
    only(lagSeconds),
  ),
  counter(
    'relata_replica_reads_total',
    'Statements of reads that may run on the replica, by where and why they ran.',
    Object.entries(reads).map(([outcome, value]) => ({ labels: { outcome }, value })),
  ),
]

/** The values of the last backup are absent before the first one. */
function backupFamilies({ last, failures }: BackupState): MetricFamily[] {
  const ofLast = (name: string, help: string, value: (backup: NonNullable<typeof last>) => number) =>
    gauge(`relata_backup_last_${name}`, help, last === undefined ? [] : only(value(last)))
  return [
    ofLast('success_timestamp_seconds', 'When the last backup began that succeeded.', ({ at }) => at / 1_000_000),
    ofLast('duration_seconds', 'How long it took.', ({ seconds }) => seconds),
    ofLast('size_bytes', 'The bytes of its compressed tables and of its files.', ({ bytes }) => bytes),
    counter('relata_backup_failures_total', 'Scheduled backups that failed.', only(failures)),
  ]
}

function processFamilies(): MetricFamily[] {
  const { user, system } = process.cpuUsage()
  return [
    gauge('process_start_time_seconds', 'When the process began.', only(performance.timeOrigin / 1000)),
    counter('process_cpu_seconds_total', 'CPU time used.', only((user + system) / 1_000_000)),
    gauge('process_resident_memory_bytes', 'Memory held.', only(process.memoryUsage.rss())),
  ]
}

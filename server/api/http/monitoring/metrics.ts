/** The metrics of this process, in the text format of Prometheus. */

import type { BackupState } from '#access/installation/backup-schedule'
import type { RequestClass, RequestLimiter } from '#api/http/concurrency/request-limiter'
import type { ClassState } from '#base/timing/concurrency-limiter'

export interface Metrics {
  /** Counts an answered request and its duration. */
  countRequest(operation: string, status: number, seconds: number): void
  /** Counts a delivery attempt that the database refused to store unchanged. */
  countRefusedAttempt(): void
  /** Whether webhooks and emails are held. */
  setHeld(isHeld: boolean): void
  /** The scheduled backups of the installation. */
  setBackups(state: BackupState): void
  render(): string
}

/** The upper bounds of the histogram in seconds. Clients time out after ten or thirty seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

interface Observations {
  readonly byStatus: Map<number, number>
  /** The requests of each bucket alone, not cumulated. The last bucket has no upper bound. */
  readonly counts: number[]
  seconds: number
}

/** `concurrency` returns the requests that run, wait and were refused, by class. */
export function createMetrics(concurrency: RequestLimiter['state'] = () => NO_REQUESTS): Metrics {
  const operations = new Map<string, Observations>()
  let attemptsRefused = 0
  let held = 0
  let backups: BackupState | undefined
  const startedAt = (performance.timeOrigin / 1000).toFixed(3)

  return {
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
    render: () =>
      [
        ...family('relata_requests_total', 'counter', 'Requests answered.', [...operations].flatMap(totals)),
        ...family('relata_request_seconds', 'histogram', 'How long answers took.', [...operations].flatMap(histogram)),
        ...requestClasses(concurrency()),
        ...family(
          'relata_attempts_refused_total',
          'counter',
          'Attempts at deliveries that could not be kept as they were.',
          [` ${attemptsRefused}`],
        ),
        ...family('relata_held', 'gauge', 'Whether webhooks and emails are held, because the database may be a copy.', [
          ` ${held}`,
        ]),
        ...(backups === undefined ? [] : backupFamilies(backups)),
        ...family('process_start_time_seconds', 'gauge', 'When the process began.', [` ${startedAt}`]),
        ...family('process_cpu_seconds_total', 'counter', 'CPU time used.', [` ${cpuSeconds()}`]),
        ...family('process_resident_memory_bytes', 'gauge', 'Memory held.', [` ${process.memoryUsage.rss()}`]),
        '',
      ].join('\n'),
  }
}

/** The values of the last backup are absent before the first one. */
function backupFamilies({ last, failures }: BackupState): string[] {
  const gauge = (name: string, help: string, value: (backup: NonNullable<typeof last>) => number) =>
    family(`relata_backup_last_${name}`, 'gauge', help, last === undefined ? [] : [` ${value(last)}`])
  return [
    ...gauge('success_timestamp_seconds', 'When the last backup began that succeeded.', ({ at }) => at / 1_000_000),
    ...gauge('duration_seconds', 'How long it took.', ({ seconds }) => seconds),
    ...gauge('size_bytes', 'The bytes of its compressed tables and of its files.', ({ bytes }) => bytes),
    ...family('relata_backup_failures_total', 'counter', 'Scheduled backups that failed.', [` ${failures}`]),
  ]
}

const NONE: ClassState = { running: 0, waiting: 0, refused: 0 }
const NO_REQUESTS: Readonly<Record<RequestClass, ClassState>> = { interactive: NONE, normal: NONE, heavy: NONE }

function requestClasses(state: ReturnType<RequestLimiter['state']>): string[] {
  const samples = (member: keyof ClassState) =>
    Object.entries(state).map(([name, each]) => `{class="${name}"} ${each[member]}`)
  return [
    ...family('relata_requests_running', 'gauge', 'Requests of callers that run.', samples('running')),
    ...family('relata_requests_waiting', 'gauge', 'Requests of callers that wait for their turn.', samples('waiting')),
    ...family(
      'relata_requests_overloaded_total',
      'counter',
      'Requests refused with 503, because too many arrived.',
      samples('refused'),
    ),
  ]
}

const noObservations = (): Observations => ({
  byStatus: new Map(),
  counts: Array.from({ length: BUCKETS.length + 1 }, () => 0),
  seconds: 0,
})

/** Renders a metric family. A sample is the text after the name. */
const family = (name: string, type: string, help: string, samples: readonly string[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...samples.map((sample) => name + sample),
]

const totals = ([operation, { byStatus }]: [string, Observations]): string[] =>
  [...byStatus].map(([status, count]) => `{operation="${operation}",status="${status}"} ${count}`)

/** In Prometheus' format, each bucket also counts all smaller ones. */
function histogram([operation, { counts, seconds }]: [string, Observations]): string[] {
  let sum = 0
  const buckets = counts.map((count, index) => {
    sum += count
    return `_bucket{operation="${operation}",le="${BUCKETS[index] ?? '+Inf'}"} ${sum}`
  })
  const label = `{operation="${operation}"}`
  return [...buckets, `_sum${label} ${seconds.toFixed(6)}`, `_count${label} ${sum}`]
}

function cpuSeconds(): string {
  const { user, system } = process.cpuUsage()
  return ((user + system) / 1_000_000).toFixed(3)
}

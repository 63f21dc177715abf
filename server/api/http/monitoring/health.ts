/** Health checks for operators: `/healthz` says that the process runs, `/readyz` that it can serve requests, or why it cannot. */

import { Elysia } from 'elysia'
import { notReady } from '#base/errors/http'
import { withTimeout } from '#base/timing/wait'
import { type Answers, JsonText, newRequestId } from '#api/http/response/answer'
import type { Replica } from '#api/http/replica/replica'
import { errorFromException } from '#api/http/response/error-from-exception'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findReadOnlyReason, requireDiskSpace } from '#db/check-server'
import type { Database } from '#db/connect'
import { createSchemaCheck, type SchemaDifference } from '#db/migrate'
import { COMMAND, COMMIT, PROGRAM_FOLDER, VERSION } from '#db/program'
import { databaseFailureOf } from '#base/errors/database'
import { errorCodeOf, logError } from '#base/logging/log-error'

const HIDDEN = { detail: { hide: true } }

/** Probes time out after a second. */
const PATIENCE_MS = 750

const READY = { status: 'ready', version: VERSION, commit: COMMIT }

const NO_ANSWER = 'PostgreSQL does not answer.'

/** Returns why the process is not ready; undefined when it is. */
type ReadinessCheck = () => Promise<string | undefined>

/** The process is ready without its replica: reads then run on the primary. */
export function healthRoutes(
  answers: Answers,
  findReason: ReadinessCheck,
  { patienceMs = PATIENCE_MS, replica }: { readonly patienceMs?: number; readonly replica?: Replica | undefined } = {},
) {
  const check = runOneAtATime(findReason)
  return new Elysia({ name: 'health' })
    .get('/healthz', ({ request }) => answers.json(request, newRequestId(), new JsonText('{"status":"alive"}')), HIDDEN)
    .get(
      '/readyz',
      async ({ request }) => {
        const id = newRequestId()
        try {
          const checked = check().then((found) => ({ found }))
          const { found: reason } = (await withTimeout(checked, patienceMs)) ?? { found: NO_ANSWER }
          if (reason !== undefined) throw notReady(reason, new Date(Date.now() + 1000))
          const ready = replica === undefined ? READY : { ...READY, replica: replica.state().status }
          return await answers.json(request, id, new JsonText(JSON.stringify(ready)))
        } catch (error) {
          return answers.error(request, id, errorFromException(error, request, id))
        }
      },
      HIDDEN,
    )
}

/** Shares one check between probes, so that they do not take all connections while the database does not answer. */
function runOneAtATime(findReason: ReadinessCheck): ReadinessCheck {
  let running: Promise<string | undefined> | undefined
  return () => (running ??= findReason().finally(() => (running = undefined)))
}

/** Finds out why the process cannot serve requests, in a sentence for the operator. See docs/decisions/readiness-and-metrics.md. */
/** What the installation must have, and what to do without it. */
const FILES = [
  ['docs/reference/README.md', 'The folder docs/reference is missing in the installation; install Relata again.'],
  ['web/dist/index.html', 'The console is not built; run "bun web/build.ts", or start the service with "bun start".'],
] as const

const DISK_FULL = '53100'
/** How long the disk counts as not full after a check. */
const DISK_CHECKED_FOR_MS = 10_000

interface ReadinessOptions {
  readonly db: Pick<Database, 'sql'>
  /** As in `AppContext`. */
  readonly superseded?: AbortController | undefined
  readonly root?: string
}

/** Returns a function that returns why the process is not ready; undefined when it is. Logs each change of the reason. */
export function createReadinessCheck(options: ReadinessOptions): () => Promise<string | undefined> {
  const { db, superseded, root = PROGRAM_FOLDER } = options
  const compareSchema = createSchemaCheck(db)
  let diskCheckedAt = Number.NEGATIVE_INFINITY
  let last: string | undefined

  async function findDatabaseReason(): Promise<string | undefined> {
    const difference = await compareSchema()
    if (difference?.schema === 'newer') superseded?.abort(difference.error)
    if (difference !== undefined) return schemaReason(difference)
    const readOnly = await findReadOnlyReason(db)
    if (readOnly !== undefined || performance.now() - diskCheckedAt < DISK_CHECKED_FOR_MS) return readOnly
    await requireDiskSpace(db)
    diskCheckedAt = performance.now()
    return undefined
  }

  return async () => {
    let cause: unknown
    const [, missing] = FILES.find(([file]) => !existsSync(join(root, file))) ?? []
    const reason =
      missing ??
      (await findDatabaseReason().catch((error: unknown) => {
        cause = error
        return failureReason(error)
      }))
    if (reason !== undefined && reason !== last) logError(`The service is not ready: ${reason}`, cause ?? reason)
    last = reason
    return reason
  }
}

const schemaReason = (difference: SchemaDifference): string =>
  difference.schema === 'newer'
    ? difference.error.message
    : `The database lacks the migration ${difference.migration}; run "${COMMAND} migrate", or start the service again.`

/**
 * Everyone may read the reason, so it has the code of the error and not its message, which may name a role. Throws an error that is not
 * the database's.
 */
function failureReason(error: unknown): string {
  if (databaseFailureOf(error) === undefined) throw error
  const code = errorCodeOf(error)
  if (code === DISK_FULL) return 'The disk of PostgreSQL is full.'
  const isAnswer = error instanceof Error && error.name === 'PostgresError'
  return isAnswer
    ? `PostgreSQL refuses the readiness check (${code}); the log has its message.`
    : `PostgreSQL cannot be reached (${code}).`
}

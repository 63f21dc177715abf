/** The query that runs or ran last: its rows, its plan or its error. */

import { ApiError, toApiError } from '../../api/errors'
import { addToHistory } from '../../api/sql/sql-queries'
import { explainSql, runSql, type SqlResult } from '../../api/sql/sql'
import type { SqlPart } from './editor/sql-editor.svelte'
import { offsetOf } from './editor/positions'

/** The history takes no longer texts. */
const MAX_HISTORY_SQL = 20_000

const TICK_MS = 100

export type SqlOutcome =
  | { readonly kind: 'rows'; readonly result: SqlResult }
  | { readonly kind: 'plan'; readonly plan: unknown }
  /** `offset` is the place of the error in the text of the editor. */
  | { readonly kind: 'error'; readonly error: ApiError; readonly offset: number | undefined }
  | { readonly kind: 'cancelled' }

export class SqlRun {
  /** Undefined before the first query ended. */
  outcome = $state.raw<SqlOutcome | undefined>()
  isRunning = $state(false)
  /** Of the running query, or of the one that ran last. */
  elapsedMs = $state(0)
  /** The text that ran last. */
  text = $state('')
  #running: AbortController | undefined

  /** Called after a query was added to the history. */
  constructor(readonly onadded: () => unknown) {}

  async run(part: SqlPart): Promise<void> {
    const outcome = await this.#send(part, async (signal) => ({
      kind: 'rows',
      result: await runSql(part.text, signal),
    }))
    const hasRun = outcome?.kind === 'rows' || (outcome?.kind === 'error' && outcome.error.code === 'filter_error')
    if (!hasRun || part.text.length > MAX_HISTORY_SQL) return
    const row_count = outcome.kind === 'rows' ? outcome.result.rows.length : null
    try {
      await addToHistory({ sql: part.text, duration_ms: Math.round(this.elapsedMs), row_count })
      this.onadded()
    } catch {
      // The query has run; its place in the history is not worth a message.
    }
  }

  async explain(part: SqlPart): Promise<void> {
    await this.#send(part, async (signal) => ({ kind: 'plan', plan: await explainSql(part.text, signal) }))
  }

  /** Also stops the query in the database. */
  cancel(): void {
    this.#running?.abort()
  }

  /** Undefined when another query began meanwhile. */
  async #send(part: SqlPart, read: (signal: AbortSignal) => Promise<SqlOutcome>): Promise<SqlOutcome | undefined> {
    this.cancel()
    const running = new AbortController()
    this.#running = running
    this.isRunning = true
    this.text = part.text
    const start = performance.now()
    this.elapsedMs = 0
    const timer = setInterval(() => (this.elapsedMs = performance.now() - start), TICK_MS)
    const outcome = await read(running.signal).catch((error: unknown) => failure(error, part, running.signal))
    clearInterval(timer)
    if (this.#running !== running) return undefined
    this.elapsedMs = performance.now() - start
    this.outcome = outcome
    this.isRunning = false
    return outcome
  }
}

function failure(error: unknown, { text, offset }: SqlPart, { aborted }: AbortSignal): SqlOutcome {
  if (aborted) return { kind: 'cancelled' }
  const apiError = toApiError(error)
  const { position } = apiError.details
  return {
    kind: 'error',
    error: apiError,
    offset: position === undefined ? undefined : offset + offsetOf(text, position),
  }
}

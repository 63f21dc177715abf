/**
 * Calls a monitor around each statement, with its text. A cursor is not measured, because its query does not settle.
 *
 * Internals used: `handle`, `executed`, `string` and `options` of the driver's query object (class `Query` in `src/query.js`). `handle`
 * has the query sent when its promise is first awaited; `string` is its text once it was sent.
 * Reason: the driver has no hook for the end of a statement, and its option `debug` runs when a connection is free, outside of the
 * asynchronous context of the caller.
 */

import type { Sql } from '../connect'

/** Called when a statement begins. The function that it returns is called when the statement ends. */
export type StatementMonitor = () => ((end: StatementEnd) => void) | undefined

export interface StatementEnd {
  /** Undefined for a text of a caller of the API, and for a statement that was not sent. */
  readonly text: string | undefined
  /** Undefined when the statement succeeded. */
  readonly error: unknown
}

interface Query extends Promise<unknown> {
  readonly executed: boolean
  readonly string?: string
  readonly options: { readonly isPrivate?: boolean }
}

/** The option of a statement whose text is that of a caller of the API. */
export const PRIVATE_TEXT = { isPrivate: true }

let monitor: StatementMonitor | undefined
let isInstalled = false

/** Replaces the monitor of all statements of the process. Until the first one, statements are sent without any further step. */
export function measureStatements(sql: Sql, replacement: StatementMonitor | undefined): void {
  monitor = replacement
  if (isInstalled || replacement === undefined) return
  isInstalled = true
  // A query that is never awaited is never sent.
  const prototype = Object.getPrototypeOf(sql``) as { handle(this: Query): Promise<unknown> } // the class of all queries
  const { handle } = prototype
  prototype.handle = function handleMeasured() {
    const end = this.executed ? undefined : monitor?.()
    if (end !== undefined) {
      const { options } = this
      const textOf = () => (options.isPrivate === true ? undefined : this.string)
      // The method of Promise, because that of the query would send it.
      void Promise.prototype.then.call(
        this,
        () => end({ text: textOf(), error: undefined }),
        (error: unknown) => end({ text: textOf(), error }),
      )
    }
    return handle.call(this)
  }
}

const LITERAL = /[eE]'(?:[^'\\]|''|\\[^])*'|'(?:[^']|'')*'|\$([A-Za-z_]\w*)?\$[^]*?\$\1\$/g
/** A number that is no part of a name or of a parameter. */
const NUMBER = /(?<![\w$."])\d+(?:\.\d+)?(?![\w"])/g
const MAX_LENGTH = 2000

/** The text of a statement without its literals, which may be values or passwords. Its parameters are not in the text. */
export function withoutLiterals(text: string): string {
  const shown = text.replace(LITERAL, '?').replace(NUMBER, '?').replace(/\s+/g, ' ').trim()
  return shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH)}…` : shown
}

/**
 * A dry run of a write: the operation runs in a transaction that is rolled back, so that the caller gets its answer without its
 * effect. See docs/reference/errors-and-limits.md (Dry run).
 */

import { Type } from 'typebox'
import { type Database } from '#db/connect'
import { runAndRollBack } from '#db/run-in-transaction'
import type { ApiContext } from '#context'
import { contextInTransaction } from '#engine/data-model/access/context-in-transaction'
import type { Output } from '#api/http/guard/route'
import { compileQuery } from '#api/http/request/read-parameters'
import { type JsonText, renderOutput } from '#api/http/response/answer'

export const DryRunQuery = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether to answer as usual, but to write nothing and to send nothing.',
    }),
  ),
})

const readQuery = compileQuery(DryRunQuery)

/** Whether a write has `dry_run=true`. Throws 400 for another value than `true` and `false`. */
export const isDryRun = (request: Request): boolean => request.url.includes('?') && readQuery(request).dry_run === true

/** Returns the answer of an operation and undoes what it wrote. The workers do not see it. */
export const answerDryRun = (
  db: Database,
  context: ApiContext,
  run: (context: ApiContext) => Promise<Output>,
): Promise<JsonText> =>
  runAndRollBack(db, async (within) =>
    renderOutput(
      await run({
        ...contextInTransaction(context, within),
        events: undefined,
        workers: undefined,
      }),
    ),
  )

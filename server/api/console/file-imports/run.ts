/** Imports an uploaded email or calendar file as the commands `mail import` and `calendar import` do. */

import type { AppContext } from '#context'
import type { Member } from '#engine/data-model/model'
import { ApiError } from '#base/errors/api-error'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { openBackgroundContext } from '#engine/entities/write/background-context'
import { ImportError } from '#transfer/import/import-context'
import type { RowProblem } from '#transfer/import/row-outcomes'
import { logError } from '#base/logging/log-error'
import { importMessages } from '#transfer/mail-files/import-messages'
import { readLines } from '#transfer/mail-files/read-lines'
import { readMessages } from '#transfer/mail-files/read-messages'
import { normaliseAddress } from '#crm/mailboxes/email'
import { openMailbox } from '#crm/mailboxes/insert-emails'
import { importCalendar } from '#transfer/calendar-files/import-calendar'
import type { FileImportCounts, FileImportProgress } from './schemas'

export interface FileImport {
  readonly appContext: AppContext
  /** The signed-in member, who is recorded as the creator of meetings. */
  readonly member: ConsoleMember
  /** The member whose mailbox or calendar it is. */
  readonly owner: Member
  readonly fileName: string
  /** Further addresses of the owner. */
  readonly addresses: readonly string[]
  /** Where the file is, with another name. */
  readonly path: string
  /** Aborted when the client has closed the connection, or the service stops. */
  readonly signal: AbortSignal
}

export interface RunningFileImport {
  /** Takes some of the problems that no call took before. */
  progress(): FileImportProgress
  /** Returns, like `progress`, the state at the end with the last problems, and before that `running`. Never rejects. */
  readonly end: Promise<() => FileImportProgress>
}

/** More would fill the memory of a browser. */
const MAX_PROBLEMS = 100_000
/** The problems of one line of the answer. */
const PROBLEMS_PER_LINE = 1_000
const INTERNAL_FAILURE = 'Something went wrong on our side.'

export const isCalendarFile = (fileName: string): boolean => /\.ics$/i.test(fileName)

export const isMailFile = (fileName: string): boolean => /\.(?:eml|mbox)$/i.test(fileName)

export function startFileImport(given: FileImport): RunningFileImport {
  let counts: FileImportCounts = { read: 0, created: 0, updated: 0, deleted: 0, unchanged: 0, skipped: 0 }
  let problemCount = 0
  const problems: RowProblem[] = []
  const report: Report = {
    onCounts(latest) {
      counts = latest
    },
    onProblem(problem) {
      problemCount++
      if (problemCount <= MAX_PROBLEMS) problems.push(problem)
    },
  }
  const progress = (): FileImportProgress => ({
    state: 'running',
    counts,
    problem_count: problemCount,
    problems: problems.splice(0, PROBLEMS_PER_LINE),
    failure: null,
  })
  const last = (result: Pick<FileImportProgress, 'state' | 'failure'>) => (): FileImportProgress =>
    problems.length > PROBLEMS_PER_LINE ? progress() : { ...progress(), ...result }
  const importFile = isCalendarFile(given.fileName) ? importEvents : importMail
  const end = importFile(given, report)
    .then(() => last({ state: 'finished', failure: null }))
    .catch((error: unknown) => last({ state: 'failed', failure: explain(error, given.signal) }))
  return { progress, end }
}

interface Report {
  onCounts(counts: FileImportCounts): void
  onProblem(problem: RowProblem): void
}

async function importMail(
  { appContext, member, owner, addresses, fileName, path, signal }: FileImport,
  report: Report,
): Promise<void> {
  const { db, now } = appContext
  const { workspaceId, actor } = member
  const { context } = await openBackgroundContext(db, workspaceId, now, () => actor)
  const mailbox = await openMailbox(db, workspaceId, owner, now())
  const address = normaliseAddress(owner.email_address)
  const ownAddresses = new Set([...(address === undefined ? [] : [address]), ...addresses])
  const run = { context: context(), mailbox, ownAddresses }
  await importMessages(run, readMessages(fileName, Bun.file(path).stream(), signal), {
    onProgress: ({ repeated, ...counts }) =>
      report.onCounts({ ...counts, updated: 0, deleted: 0, unchanged: repeated }),
    onProblem: report.onProblem,
  })
}

async function importEvents({ appContext, member, owner, path, signal }: FileImport, report: Report): Promise<void> {
  const { db, now } = appContext
  const { context } = await openBackgroundContext(db, member.workspaceId, now, () => member.actor)
  await importCalendar(
    {
      context() {
        signal.throwIfAborted()
        return context()
      },
      lines: () => readLines(Bun.file(path).stream(), signal),
      memberAddress: owner.email_address,
    },
    { onProgress: report.onCounts, onProblem: report.onProblem },
  )
}

function explain(error: unknown, signal: AbortSignal): string {
  // The messages of both are written for people.
  if (error instanceof ImportError || error instanceof ApiError) return error.message
  if (!signal.aborted) logError('The import of a file failed.', error)
  return INTERNAL_FAILURE
}

/** Imports of email and calendar files at the console. An upload is answered with its progress: a JSON text in each line, and the result in the last one. */
import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { adminsOnly, memberNotFound } from '#base/errors/access'
import { ApiError } from '#base/errors/api-error'
import { fileImportRunning, importProblem, importTooLarge } from '#base/errors/imports'
import { uploadTimedOut } from '#base/errors/meetings'
import { logError } from '#base/logging/log-error'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'
import { isSliceOver, nextTurn } from '#base/timing/in-slices'
import { ReadTimeout, readWithin, withTimeout } from '#base/timing/wait'
import type { AppContext } from '#context'
import type { BlobStore } from '#crm/blobs/blob-store'
import { type TemporaryFile, TooManyBytes } from '#crm/blobs/temporary-file'
import { normaliseAddress } from '#crm/mailboxes/email'
import { openMailbox } from '#crm/mailboxes/insert-emails'
import type { Database } from '#db/connect'
import { equal } from '#engine/data-model/kysely-in-transaction'
import type { Member } from '#engine/data-model/model'
import { openBackgroundContext } from '#engine/entities/write/background-context'
import { importCalendar } from '#transfer/calendar-files/import-calendar'
import { ImportError } from '#transfer/import/import-context'
import type { RowProblem } from '#transfer/import/row-outcomes'
import { importMessages } from '#transfer/mail-files/import-messages'
import { readLines } from '#transfer/mail-files/read-lines'
import { readMessages } from '#transfer/mail-files/read-messages'
import { type FileImportCounts, type FileImportProgress, FileImportQuery, LargestFileAnswer } from './schemas'

const FILE_IMPORTS = '/console/api/workspaces/:workspace_id/file-imports'

export const fileImportRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-file-imports' })
    .get(
      ...guard.member(FILE_IMPORTS, { response: LargestFileAnswer }, () => ({
        data: { largest_file: appContext.settings.importLimit },
      })),
    )
    // The request body is the file.
    .post(
      ...guard.member(FILE_IMPORTS, { response: null, query: FileImportQuery }, ({ member, query, request }) =>
        importFile(appContext, member, query, request),
      ),
    )

/** Shorter than the idle timeouts of the service and of proxies. */
const PROGRESS_EVERY_MS = 1_000

/**
 * Throws 400 for another kind of file and for an invalid address, 403 and 404 for the mailbox of another member, 409 while another file of the member is
 * imported, and 413 for a file that is too large.
 */
async function importFile(
  appContext: AppContext,
  member: ConsoleMember,
  { file_name: fileName, member: ownerId = member.memberId, addresses: further = '' }: FileImportQuery,
  request: Request,
): Promise<Response> {
  const { db, now, blobs, settings, shutdownSignal } = appContext
  if (!isCalendarFile(fileName) && !isMailFile(fileName)) throw importProblem(WRONG_KIND)
  const addresses = parseAddresses(further)
  const owner = await getOwner(appContext, member, ownerId)
  if (Number(request.headers.get('content-length') ?? 0) > settings.importLimit)
    throw importTooLarge(settings.importLimit)
  const release = await leaseFileImport(db, now, member)
  if (release === undefined) throw fileImportRunning()
  const file = await receiveBody(request, blobs, settings.importLimit).catch(async (error: unknown) => {
    await release()
    throw error
  })
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, ...(shutdownSignal === undefined ? [] : [shutdownSignal])])
  const { progress, end } = startFileImport({ appContext, member, owner, addresses, fileName, path: file.path, signal })
  const ended = endAfter(end, file, release)
  return answerLines(async () => ((await withTimeout(ended, PROGRESS_EVERY_MS)) ?? progress)(), stopping)
}

const WRONG_KIND = 'Choose a file with the extension .eml, .mbox or .ics.'

/** Throws 400 for a text that is no address. */
function parseAddresses(texts: string): string[] {
  const given = texts.split(',').map((text) => text.trim())
  return given.flatMap((text) => {
    if (text === '') return []
    const address = normaliseAddress(text)
    if (address === undefined) throw importProblem(`"${text}" is not an email address.`)
    return [address]
  })
}

/** The member whose mailbox or calendar it is. Only admins may name another member than themselves. */
async function getOwner({ models }: AppContext, member: ConsoleMember, id: string): Promise<Member> {
  if (id !== member.memberId && member.accessLevel !== 'admin') throw adminsOnly()
  const { membersById } = await models.get(member.workspaceId)
  const owner = membersById.get(id) ?? (await models.reload(member.workspaceId)).membersById.get(id)
  if (owner === undefined) throw memberNotFound(id)
  return owner
}

/** The lease ends before the client sees the result, so that it can send the next file. */
async function endAfter(
  end: RunningFileImport['end'],
  file: TemporaryFile,
  release: Release,
): RunningFileImport['end'] {
  const result = await end
  await file.remove().catch((error: unknown) => logError('A temporary file could not be removed yet.', error))
  await release()
  return result
}

/** The response ends with the first line that is not `running`. `stopping` is aborted when the client closes the connection. */
function answerLines(nextLine: () => Promise<FileImportProgress>, stopping: AbortController): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const line = await nextLine()
      // A line may have much text, and a client may read many lines at once.
      if (isSliceOver()) await nextTurn()
      controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
      if (line.state !== 'running') controller.close()
    },
    cancel: () => stopping.abort(),
  })
  return new Response(body, {
    headers: { 'Content-Type': 'application/x-ndjson; charset=utf-8', 'X-Accel-Buffering': 'no' },
  })
}

/** Leases of file imports: a member runs one at a time, over all processes. The lease of a dead process ends after a minute. */
const LEASE_MICROS = 60_000_000
const RENEW_EVERY_MS = 20_000

interface LeasingMember {
  readonly workspaceId: string
  readonly memberId: string
}

/** Releases a lease. Further calls do nothing. */
type Release = () => Promise<void>

/** Takes the lease of a member and renews it until its release. Returns undefined while another import has it. */
export async function leaseFileImport(db: Database, now: Clock, member: LeasingMember): Promise<Release | undefined> {
  const leaseId = crypto.randomUUID()
  if (!(await takeLease(db, member, leaseId, now()))) return undefined
  const renewal = setInterval(() => {
    renewLease(db, member, leaseId, now()).catch((error: unknown) =>
      logError('The lease of a file import could not be renewed yet.', error),
    )
  }, RENEW_EVERY_MS)
  return async () => {
    clearInterval(renewal)
    await deleteLease(db, member, leaseId).catch((error: unknown) =>
      logError('The lease of a file import could not be released. It ends after a minute.', error),
    )
  }
}

const until = (now: Micros): string => timestampFromMicros(now + LEASE_MICROS)

async function takeLease(db: Database, member: LeasingMember, leaseId: string, now: Micros): Promise<boolean> {
  const lease = { leased_by: leaseId, leased_until: until(now), worker: db.pools.applicationName }
  const taken = await db.control
    .insertInto('relata.file_import_leases')
    .values({ workspace_id: member.workspaceId, member_id: member.memberId, ...lease })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'member_id'])
        .doUpdateSet(lease)
        .where('relata.file_import_leases.leased_until', '<', timestampFromMicros(now)),
    )
    .returning('leased_by')
    .executeTakeFirst()
  return taken !== undefined
}

async function renewLease(db: Database, member: LeasingMember, leaseId: string, now: Micros): Promise<void> {
  await db.control
    .updateTable('relata.file_import_leases')
    .set({ leased_until: until(now) })
    .where(equal({ workspace_id: member.workspaceId, member_id: member.memberId, leased_by: leaseId }))
    .execute()
}

async function deleteLease(db: Database, member: LeasingMember, leaseId: string): Promise<void> {
  await db.control
    .deleteFrom('relata.file_import_leases')
    .where(equal({ workspace_id: member.workspaceId, member_id: member.memberId, leased_by: leaseId }))
    .execute()
}

/** Stores the body of a request in a temporary file, so that a slow client holds neither memory nor a connection of the database. */
const LIMITS = { idleMs: 30_000, totalMs: 3_600_000 }

/** Throws 408 at a time limit, and 413 as soon as the body is larger than `limit`. No file is left in both cases. */
async function receiveBody({ body }: Request, blobs: BlobStore, limit: number): Promise<TemporaryFile> {
  try {
    return await blobs.receive(body === null ? noBytes() : readWithin(body, LIMITS), limit)
  } catch (error) {
    if (error instanceof TooManyBytes) throw importTooLarge(limit)
    throw error instanceof ReadTimeout ? uploadTimedOut() : error
  }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

// Imports an uploaded email or calendar file as the commands `mail import` and `calendar import` do.

interface FileImport {
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

interface RunningFileImport {
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

const isCalendarFile = (fileName: string): boolean => /\.ics$/i.test(fileName)

const isMailFile = (fileName: string): boolean => /\.(?:eml|mbox)$/i.test(fileName)

function startFileImport(given: FileImport): RunningFileImport {
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

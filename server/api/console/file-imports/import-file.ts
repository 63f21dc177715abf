/** Answers an upload with the progress of its import: a JSON text in each line, and the result in the last one. */

import type { TemporaryFile } from '#crm/blobs/temporary-file'
import type { AppContext } from '#context'
import type { Member } from '#engine/data-model/model'
import { adminsOnly, memberNotFound } from '#base/errors/access'
import { fileImportRunning, importProblem, importTooLarge } from '#base/errors/imports'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { normaliseAddress } from '#crm/mailboxes/addresses'
import { logError } from '#base/logging/log-error'
import { isSliceOver, nextTurn } from '#base/timing/in-slices'
import { withTimeout } from '#base/timing/with-timeout'
import { leaseFileImport, type Release } from './leases'
import { receiveBody } from './receive-body'
import { isCalendarFile, isMailFile, type RunningFileImport, startFileImport } from './run'
import type { FileImportProgress, FileImportQuery } from './schemas'

/** Shorter than the idle timeouts of the service and of proxies. */
const PROGRESS_EVERY_MS = 1_000

/**
 * Throws 400 for another kind of file and for an invalid address, 403 and 404 for the mailbox of another member, 409 while another file of the member is
 * imported, and 413 for a file that is too large.
 */
export async function importFile(
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

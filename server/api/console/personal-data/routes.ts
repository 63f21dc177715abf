/** What the workspace stores of a person: preview, export and erasure, for admins. See docs/privacy.md. */

import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { erasePerson, previewErasure } from '#api/erasure/erase-person'
import { exportPerson } from '#api/personal-data/export-person'
import { contentDisposition } from '#api/http/response/export-stream'
import { wrongConfirmation } from '#base/errors/records'
import { logError } from '#base/logging/log-error'
import { withTimeout } from '#base/timing/wait'
import { createZipWriter } from '#base/zip-writer'
import type { AppContext } from '#context'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import type { AuditActor } from '#access/audit-log/audit'
import { normaliseAddress } from '#crm/mailboxes/email'
import { ErasureAnswer, ErasureBody, PersonBody } from './schemas'

const PERSONAL_DATA = '/console/api/workspaces/:workspace_id/personal-data'

export const personalDataRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-personal-data' })
    .post(
      ...guard.admin(
        `${PERSONAL_DATA}/preview`,
        { response: ErasureAnswer, body: PersonBody },
        async ({ member, body }) => ({
          data: await previewErasure({ ...optionsOf(appContext, member), address: body.email_address }),
        }),
      ),
    )
    .post(
      ...guard.admin(`${PERSONAL_DATA}/export`, { response: null, body: PersonBody }, (input) =>
        downloadExport(appContext, input.member, input.body.email_address, auditActorOf(input)),
      ),
    )
    .post(
      ...guard.admin(`${PERSONAL_DATA}/erase`, { response: ErasureAnswer, body: ErasureBody }, (input) => {
        const { member, body } = input
        if (normaliseAddress(body.confirmation) !== normaliseAddress(body.email_address)) throw wrongConfirmation()
        const erasure = { ...optionsOf(appContext, member), address: body.email_address }
        return answerLate(erasePerson({ ...erasure, auditActor: auditActorOf(input) }).then((data) => ({ data })))
      }),
    )

const optionsOf = ({ db, now, settings: { backups } }: AppContext, { workspaceId }: ConsoleMember) => ({
  db,
  now,
  backups,
  workspaceId,
})

/** Shorter than the idle timeouts of the service and of proxies. */
const KEEP_ALIVE_MS = 10_000

/**
 * Answers with the JSON of a long work. White space keeps the connection open until then. Work that fails later than that ends the
 * connection; it continues when the client closes it.
 */
async function answerLate(work: Promise<object>): Promise<Response | object> {
  const first = await withTimeout(work, KEEP_ALIVE_MS)
  if (first !== undefined) return first
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const done = await withTimeout(work, KEEP_ALIVE_MS)
      controller.enqueue(encoder.encode(done === undefined ? ' ' : JSON.stringify(done)))
      if (done !== undefined) controller.close()
    },
    cancel() {
      work.catch((error: unknown) => logError('An erasure failed after its client had left. Repeat it.', error))
    },
  })
  return new Response(body, { headers: { 'Content-Type': 'application/json; charset=utf-8' } })
}

/** Streams the archive. Throws before its first byte as `exportPerson` does; a failure after that ends the connection. */
async function downloadExport(
  { db, blobs, now, settings }: AppContext,
  member: ConsoleMember,
  address: string,
  auditActor: AuditActor,
): Promise<Response> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const zip = createZipWriter((bytes) => writer.write(bytes))
  const begun = Promise.withResolvers<void>()
  const given = {
    db,
    blobs,
    now,
    workspaceId: member.workspaceId,
    address,
    appUrl: settings.appUrl,
    auditActor,
    isOperator: false,
  }
  exportPerson(given, (name, chunks) => {
    begun.resolve()
    return zip.add(name, chunks)
  })
    .then(async () => {
      await zip.end()
      await writer.close()
    })
    .catch(async (error: unknown) => {
      begun.reject(error)
      await writer.abort(error).catch(() => {})
    })
  await begun.promise
  return new Response(readable, {
    headers: {
      'Content-Type': 'application/zip',
      'Content-Disposition': contentDisposition('attachment', 'personal-data.zip'),
      'X-Accel-Buffering': 'no',
    },
  })
}

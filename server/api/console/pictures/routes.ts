/** Stores and removes the pictures of members. See docs/reference/access-and-oauth.md (Pictures of members). */

import { Elysia } from 'elysia'
import {
  deletePicture,
  findPicture,
  type MemberPath,
  type Picture,
  PICTURES_PATH,
  storePicture,
} from '#access/members/pictures'
import { isUuid } from '#vocabulary/uuids'
import { adminsOnly, memberNotFound, pictureNotFound, unknownPictureType } from '#base/errors/access'
import { type Answers, newRequestId } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { MemberAnswer } from '#api/console/members/schemas'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { findMember, type MemberRow } from '#access/members/members'
import { detectType } from '#crm/blobs/detect-type'
import type { AppContext } from '#context'
import type { Transaction } from '#db/connect'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { renderMember } from '#api/console/members/routes'
import { receivePicture } from './receive-picture'

const PICTURE = '/console/api/workspaces/:workspace_id/members/:workspace_member_id/picture'

export const pictureRoutes = (consoleContext: ConsoleContext, answers: Answers) =>
  new Elysia({ name: 'console-pictures' }).use(changingRoutes(consoleContext)).use(publicRoute(consoleContext, answers))

const changingRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia()
    // The request body is the picture.
    .put(
      ...guard.member(PICTURE, { response: MemberAnswer }, async (input) => ({
        data: await uploadPicture(
          appContext,
          input.member,
          input.params.workspace_member_id,
          input.request,
          auditActorOf(input),
        ),
      })),
    )
    .delete(
      ...guard.member(PICTURE, { response: MemberAnswer }, async (input) => ({
        data: await removePicture(appContext, input.member, input.params.workspace_member_id, auditActorOf(input)),
      })),
    )

const publicRoute = ({ appContext }: ConsoleContext, answers: Answers) =>
  new Elysia().get(
    `${PICTURES_PATH}/:workspace_id/:workspace_member_id/:digest`,
    async ({ request, params }) => {
      const id = newRequestId()
      try {
        return await serve(appContext, params, answers.headers(id))
      } catch (error) {
        return answers.error(request, id, errorFromException(error, request, id))
      }
    },
    { detail: { hide: true } },
  )

type PublicParams = Readonly<Record<'workspace_id' | 'workspace_member_id' | 'digest', string>>

async function serve(
  { db, blobs }: ConsoleContext['appContext'],
  { workspace_id: workspaceId, workspace_member_id: memberId, digest: hex }: PublicParams,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  if (!isUuid(workspaceId) || !isUuid(memberId) || !/^[0-9a-f]{64}$/.test(hex)) throw pictureNotFound()
  const digest = Buffer.from(hex, 'hex')
  const picture = await findPicture(db, { workspaceId, memberId }, digest)
  const stored = picture && (await blobs.find({ workspaceId, digest }))
  if (picture === undefined || stored === undefined) throw pictureNotFound()
  return new Response(blobs.read({ workspaceId, digest }, { start: 0, end: stored.size }), {
    headers: {
      ...headers,
      'Content-Type': picture.contentType,
      'Content-Length': String(stored.size),
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      // Pages of other origins may show the picture, too.
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cache-Control': 'public, max-age=31536000, immutable',
    },
  })
}

const TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp'] satisfies Picture['contentType'][]

const isPictureType = (type: string | undefined): type is Picture['contentType'] =>
  type !== undefined && TYPES.includes(type)

/** The body is the picture. Throws 403 for the picture of another member, 404, 400 for another type, 408 and 413. */
async function uploadPicture(
  appContext: AppContext,
  member: ConsoleMember,
  id: string,
  request: Request,
  auditActor: AuditActor,
): Promise<object> {
  const path = pathOf(member, id)
  const file = await receivePicture(appContext, request)
  const contentType = await detectType(file.beginning)
  if (!isPictureType(contentType)) {
    await file.remove()
    throw unknownPictureType()
  }
  const { digest } = await appContext.blobs.save(path.workspaceId, file)
  const store = (tx: Transaction) => storePicture(tx, path, { digest, contentType })
  return change(appContext, path, store, auditActor)
}

/** Throws 403 for the picture of another member, and 404. Succeeds also without a picture. */
const removePicture = (
  appContext: AppContext,
  member: ConsoleMember,
  id: string,
  auditActor: AuditActor,
): Promise<object> => {
  const path = pathOf(member, id)
  return change(appContext, path, (tx) => deletePicture(tx, path), auditActor)
}

/** Members change their own pictures; admins change all. */
function pathOf({ workspaceId, memberId, accessLevel }: ConsoleMember, id: string): MemberPath {
  if (accessLevel !== 'admin' && id.toLowerCase() !== memberId) throw adminsOnly()
  if (!isUuid(id)) throw memberNotFound(id)
  return { workspaceId, memberId: id.toLowerCase() }
}

async function change(
  { db, models, now }: AppContext,
  { workspaceId, memberId }: MemberPath,
  apply: (tx: Transaction) => Promise<void>,
  auditActor: AuditActor,
): Promise<object> {
  const find = async (tx: Transaction): Promise<MemberRow> => {
    const found = await findMember({ sql: tx }, workspaceId, memberId)
    if (found === undefined) throw memberNotFound(memberId)
    return found
  }
  const after = await changeWorkspaceModel(db, workspaceId, async ({ tx }) => {
    const before = await find(tx)
    await apply(tx)
    const changed = await find(tx)
    await audit(tx, {
      ...auditActor,
      workspaceId,
      action: 'member.updated',
      subject: { type: 'workspace-member', id: before.id, name: before.email_address },
      details: { avatar_url: { before: before.avatar_url, after: changed.avatar_url } },
      now: now(),
    })
    return changed
  })
  await models.reload(workspaceId)
  return renderMember(after)
}

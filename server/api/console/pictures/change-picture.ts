/** Stores and removes the pictures of members. See docs/reference/access-and-oauth.md (Pictures of members). */

import { audit, type AuditActor } from '#access/audit-log/audit'
import { findMember, type MemberRow } from '#access/members/members'
import { deletePicture, type MemberPath, type Picture, storePicture } from '#access/members/pictures'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import { detectType } from '#crm/blobs/detect-type'
import { type TemporaryFile, TooManyBytes } from '#crm/blobs/temporary-file'
import type { AppContext } from '#context'
import type { Transaction } from '#db/connect'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import { adminsOnly, memberNotFound, pictureTooLarge, unknownPictureType } from '#base/errors/access'
import { uploadTimedOut } from '#base/errors/meetings'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { ReadTimeout, readWithin } from '#base/timing/wait'
import { renderMember } from '#api/console/members/members'

/** The page makes a small picture before it sends it. */
const MAX_BYTES = 1_000_000
const LIMITS = { idleMs: 10_000, totalMs: 60_000 }
const TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp'] satisfies Picture['contentType'][]

const isPictureType = (type: string | undefined): type is Picture['contentType'] =>
  type !== undefined && TYPES.includes(type)

/** The body is the picture. Throws 403 for the picture of another member, 404, 400 for another type, 408 and 413. */
export async function uploadPicture(
  appContext: AppContext,
  member: ConsoleMember,
  id: string,
  request: Request,
  auditActor: AuditActor,
): Promise<object> {
  const path = pathOf(member, id)
  const file = await receive(appContext, request)
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
export const removePicture = (
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

async function receive({ blobs }: AppContext, { body }: Request): Promise<TemporaryFile> {
  if (body === null) throw unknownPictureType()
  try {
    return await blobs.receive(readWithin(body, LIMITS), MAX_BYTES)
  } catch (error) {
    if (error instanceof TooManyBytes) throw pictureTooLarge(MAX_BYTES)
    throw error instanceof ReadTimeout ? uploadTimedOut() : error
  }
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

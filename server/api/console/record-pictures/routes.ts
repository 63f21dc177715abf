/** Shows, stores and removes the pictures of records. See docs/reference/records.md (Pictures). */

import { Elysia } from 'elysia'
import { readFile } from 'node:fs/promises'
import { pictureNotFound, unknownPictureType } from '#base/errors/access'
import { recordNotFound } from '#base/errors/records'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { receivePicture } from '#api/console/pictures/receive-picture'
import { Nothing } from '#api/console/schemas'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { findPictures, isPictureOf } from '#crm/record-pictures/find-pictures'
import { PICTURE_TYPE, shrinkPicture } from '#crm/record-pictures/shrink-picture'
import { deleteUpload, savePicture, storeUpload } from '#crm/record-pictures/store'
import { getObject, getWritableObject } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import { lockAgainstDeletion } from '#engine/storage/read-entities'
import { isUuid } from '#vocabulary/uuids'
import { type RecordPicture, RecordPicturesAnswer, RecordPicturesQuery } from './schemas'

const OBJECT = '/console/api/workspaces/:workspace_id/objects/:object_id'
const PICTURE = `${OBJECT}/records/:record_id/picture` as const

export const recordPictureRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-record-pictures' })
    .get(
      ...guard.member(
        `${OBJECT}/pictures`,
        { response: RecordPicturesAnswer, query: RecordPicturesQuery },
        async ({ member, params, query }) => ({
          data: await listPictures(appContext, member, params.object_id, query),
        }),
      ),
    )
    .get(
      ...guard.member(`${PICTURE}/:digest`, { response: null }, ({ member, params }) =>
        serveRecordPicture(appContext, member, params),
      ),
    )
    // The request body is the picture.
    .put(
      ...guard.member(PICTURE, { response: Nothing }, async ({ member, params, request }) => {
        await uploadRecordPicture(appContext, member, params, request)
        return {}
      }),
    )
    .delete(
      ...guard.member(PICTURE, { response: Nothing }, async ({ member, params }) => {
        await removeRecordPicture(appContext, member, params)
        return {}
      }),
    )

interface RecordPath {
  /** The id or the slug. */
  readonly object_id: string
  readonly record_id: string
}

/** Requests what is missing, and does not wait for it. Throws 404 for an object that the member may not see. */
async function listPictures(
  appContext: AppContext,
  member: ConsoleMember,
  slugOrId: string,
  { record_ids }: RecordPicturesQuery,
): Promise<RecordPicture[]> {
  const { db, now, workers } = appContext
  const model = await getMemberModel(appContext, member)
  const object = getObject(model, slugOrId)
  const ids = [...new Set(record_ids.toLowerCase().split(','))]
  const found = await findPictures({ db, model, now }, object, ids, () => workers?.wake('pictures'))
  return found.map(({ recordId, digest, isUploaded }) => ({
    record_id: recordId,
    path: digest === undefined ? null : pathOf(member, object, recordId, digest),
    is_uploaded: isUploaded,
  }))
}

/** The path contains the digest of the picture, so that a browser keeps it until the picture changes. */
const pathOf = ({ workspaceId }: ConsoleMember, { id }: ObjectType, recordId: string, digest: Buffer): string =>
  `/console/api/workspaces/${workspaceId}/objects/${id}/records/${recordId}/picture/${digest.toString('hex')}`

async function serveRecordPicture(
  appContext: AppContext,
  member: ConsoleMember,
  { object_id: slugOrId, record_id, digest: hex }: RecordPath & { readonly digest: string },
): Promise<Response> {
  const { db, now, blobs } = appContext
  const { workspaceId } = member
  const model = await getMemberModel(appContext, member)
  const object = getObject(model, slugOrId)
  if (!isUuid(record_id) || !/^[0-9a-f]{64}$/.test(hex)) throw pictureNotFound()
  const digest = Buffer.from(hex, 'hex')
  const isPresent = await isPictureOf({ db, model, now }, object, record_id.toLowerCase(), digest)
  const stored = isPresent ? await blobs.find({ workspaceId, digest }) : undefined
  if (stored === undefined) throw pictureNotFound()
  return new Response(blobs.read({ workspaceId, digest }, { start: 0, end: stored.size }), {
    headers: {
      'Content-Type': PICTURE_TYPE,
      'Content-Length': String(stored.size),
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'private, max-age=86400, immutable',
    },
  })
}

/** Throws 404 for a record that the member may not see, 403 for one of an object that the member may only read, 400 for another type, 408 and 413. */
async function uploadRecordPicture(
  appContext: AppContext,
  member: ConsoleMember,
  { object_id: slugOrId, record_id }: RecordPath,
  request: Request,
): Promise<void> {
  const { db, blobs } = appContext
  const { workspaceId } = member
  const object = getWritableObject(await getMemberModel(appContext, member), slugOrId)
  if (!isUuid(record_id)) throw recordNotFound(record_id)
  const recordId = record_id.toLowerCase()
  const file = await receivePicture(appContext, request)
  const picture = await readFile(file.path)
    .then(shrinkPicture)
    .finally(() => file.remove())
  if (picture === undefined) throw unknownPictureType()
  const digest = await savePicture(blobs, workspaceId, picture)
  await db.sql.begin(async (tx) => {
    if (!(await lockAgainstDeletion(tx, object, recordId))) throw recordNotFound(recordId)
    await storeUpload(tx, { workspaceId, objectId: object.id }, recordId, digest)
  })
}

/** Succeeds also without a picture. One that is fetched stays. Throws 404 and 403 as `uploadRecordPicture` for the object. */
async function removeRecordPicture(
  appContext: AppContext,
  member: ConsoleMember,
  { object_id: slugOrId, record_id }: RecordPath,
): Promise<void> {
  const object = getWritableObject(await getMemberModel(appContext, member), slugOrId)
  if (!isUuid(record_id)) throw recordNotFound(record_id)
  const key = { workspaceId: member.workspaceId, objectId: object.id }
  await deleteUpload(appContext.db.sql, key, record_id.toLowerCase())
}

/** Finds the record or the entry that the body of a new comment names. */

import type { Transaction } from '#db/connect'
import { listAccess } from '#access/list-access/list-access'
import type { Subject } from '#crm/comments/subject'
import type { RequestContext } from '#context'
import { findList, findObject } from '#engine/data-model/find'
import { unknownEntry, unknownList } from '#base/errors/comments'
import { standardObjectDisabled, unknownObject } from '#base/errors/objects'
import { unknownRecord } from '#base/errors/records'
import { lockAgainstDeletion, lockWithParent } from '#engine/storage/read-entities'
import type { CommentInput } from './schemas'

type RecordInput = NonNullable<CommentInput['record']>
type EntryInput = NonNullable<CommentInput['entry']>

/** Locks the record until the comment is committed. Throws 400 for an unknown object or record, and a disabled object. */
export async function lockRecord(
  tx: Transaction,
  { model }: RequestContext,
  { object: slugOrId, record_id }: RecordInput,
): Promise<Subject> {
  const object = findObject(model, slugOrId)
  if (object === undefined) throw unknownObject(slugOrId)
  if (!object.is_enabled) throw standardObjectDisabled(object.id)
  const id = record_id.toLowerCase()
  if (!(await lockAgainstDeletion(tx, object, id))) throw unknownRecord(object.api_slug, record_id)
  return { object_id: object.id, record_id: id, list_id: null, entry_id: null }
}

/** Locks the entry until the comment is committed. Throws 400 for an unknown or invisible list, and an unknown entry. */
export async function lockEntry(
  tx: Transaction,
  context: RequestContext,
  { list: slugOrId, entry_id }: EntryInput,
): Promise<Subject> {
  const list = findList(context.model, slugOrId)
  if (list === undefined || listAccess(context, list) === undefined) throw unknownList(slugOrId)
  const id = entry_id.toLowerCase()
  const record_id = await lockWithParent(tx, list, id)
  if (record_id === undefined) throw unknownEntry(entry_id)
  return { object_id: list.parent_object_id, record_id, list_id: list.id, entry_id: id }
}

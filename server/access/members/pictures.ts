/** The pictures that members uploaded. See docs/reference/access-and-oauth.md (Pictures of members). */

import { type Database, type Transaction, runOnLookupPool } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

export const PICTURES_PATH = '/pictures'

export interface MemberPath {
  readonly workspaceId: string
  readonly memberId: string
}

export interface Picture {
  readonly digest: Buffer
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp'
}

/** The path contains the digest of the picture, so that it changes with the picture and cannot be guessed. */
export const picturePath = ({ workspaceId, memberId }: MemberPath, digest: Buffer): string =>
  `${PICTURES_PATH}/${workspaceId}/${memberId}/${digest.toString('hex')}`

/** `avatar_url` as clients get it: what is stored is an absolute URL, or the path of a picture of this service. */
export const avatarUrl = (appUrl: string, stored: string | null): string | null =>
  stored?.startsWith(`${PICTURES_PATH}/`) === true ? appUrl + stored : stored

/** Replaces the picture of a member. The blob must exist. */
export async function storePicture(
  tx: Transaction,
  { workspaceId, memberId }: MemberPath,
  { digest, contentType }: Picture,
): Promise<void> {
  const content = { blob_digest: digest, content_type: contentType }
  await controlQueriesIn(tx)
    .insertInto('relata.member_pictures')
    .values({ workspace_id: workspaceId, workspace_member_id: memberId, ...content })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'workspace_member_id']).doUpdateSet(content))
    .execute()
  await storeAvatarUrl(tx, { workspaceId, memberId }, picturePath({ workspaceId, memberId }, digest))
}

export async function deletePicture(tx: Transaction, member: MemberPath): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.member_pictures')
    .where(equal({ workspace_id: member.workspaceId, workspace_member_id: member.memberId }))
    .execute()
  await storeAvatarUrl(tx, member, null)
}

const storeAvatarUrl = (tx: Transaction, { workspaceId, memberId }: MemberPath, avatar_url: string | null) =>
  controlQueriesIn(tx)
    .updateTable('relata.workspace_members')
    .set({ avatar_url })
    .where(equal({ workspace_id: workspaceId, id: memberId }))
    .execute()

/** Undefined unless it is the present picture of the member. */
export async function findPicture(
  db: Database,
  { workspaceId, memberId }: MemberPath,
  digest: Buffer,
): Promise<Picture | undefined> {
  const row = await runOnLookupPool(db, (on) =>
    controlQueriesIn(on)
      .selectFrom('relata.member_pictures')
      .select('content_type')
      .where(equal({ workspace_id: workspaceId, workspace_member_id: memberId, blob_digest: digest }))
      .executeTakeFirst(),
  )
  return row && { digest, contentType: row.content_type as Picture['contentType'] } // checked by the table
}

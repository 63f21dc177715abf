/** Composes the message of an email: headers, text, HTML and attachments. */

import MailComposer from 'nodemailer/lib/mail-composer'
import type { AppContext } from '#context'
import type { Sql } from '#db/connect'
import { controlQueriesIn, anyOf, equal } from '#engine/data-model/kysely-in-transaction'
import { microsFromPostgres } from '#base/timing/clock'
import type { ParticipantRole } from '#vocabulary/emails'
import type { SentEmailRow } from './store'

export type Recipient = readonly [role: Extract<ParticipantRole, 'to' | 'cc' | 'bcc'>, address: string]

export const recipientsOf = ({ recipients }: Pick<SentEmailRow, 'recipients'>): Recipient[] =>
  JSON.parse(recipients) as Recipient[] // the request stored this form

export const attachmentsOf = ({ attachments }: Pick<SentEmailRow, 'attachments'>): string[] =>
  JSON.parse(attachments) as string[] // the request stored this form

/** A file that is attached was deleted after the email was written. */
export class AttachmentMissing extends Error {}

export interface Composed {
  /** What the recipients get. */
  readonly message: Buffer
  /** The same with the recipients that only the sender sees, for the folder of sent messages. */
  readonly copy: Buffer
}

/** Makes the same message again for the same row, except for the boundaries of its parts. */
export async function composeMessage(
  { db, blobs }: Pick<AppContext, 'db' | 'blobs'>,
  row: SentEmailRow,
): Promise<Composed> {
  const attachments = await readAttachments({ db, blobs }, row)
  const addresses = (role: Recipient[0]) =>
    recipientsOf(row).flatMap(([each, address]) => (each === role ? [address] : []))
  const compose = (keepBcc: boolean): Promise<Buffer> => {
    const node = new MailComposer({
      from: { name: row.from_name ?? '', address: row.from_address },
      to: addresses('to'),
      cc: addresses('cc'),
      bcc: addresses('bcc'),
      subject: row.subject,
      text: row.body_text ?? '',
      ...(row.body_html === null ? {} : { html: row.body_html }),
      messageId: `<${row.message_id}>`,
      date: new Date(microsFromPostgres(row.created_at) / 1000),
      ...(row.in_reply_to === null ? {} : { inReplyTo: row.in_reply_to, references: row.reference_ids ?? '' }),
      attachments,
      headers: unsubscribeHeaders(row),
      disableFileAccess: true,
      disableUrlAccess: true,
    }).compile()
    node.keepBcc = keepBcc
    return node.build()
  }
  const message = await compose(false)
  return { message, copy: addresses('bcc').length === 0 ? message : await compose(true) }
}

/** RFC 8058: programs unsubscribe the recipient with one press. */
const unsubscribeHeaders = ({ unsubscribe_url }: SentEmailRow): Record<string, string> =>
  unsubscribe_url === null
    ? {}
    : { 'List-Unsubscribe': `<${unsubscribe_url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }

/** A file as far as it is attached. */
export interface Attachment {
  readonly id: string
  readonly objectId: string
  readonly name: string | null
  readonly type: string | null
  readonly size: number
  /** Null for a folder, and for a file of another service. */
  readonly digest: Buffer | null
}

export async function findAttachments(
  on: Sql,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Attachment>> {
  if (ids.length === 0) return new Map()
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.files')
    .select(['id', 'object_id', 'name', 'detected_type', 'blob_digest', 'content_size'])
    .where(equal({ workspace_id: workspaceId, id: anyOf(ids) }))
    .execute()
  return new Map(
    rows.map(({ id, object_id, name, detected_type, blob_digest, content_size }) => [
      id,
      { id, objectId: object_id, name, type: detected_type, size: Number(content_size ?? 0), digest: blob_digest },
    ]),
  )
}

/** Throws `AttachmentMissing`. */
async function readAttachments({ db, blobs }: Pick<AppContext, 'db' | 'blobs'>, row: SentEmailRow) {
  const ids = attachmentsOf(row)
  const files = await findAttachments(db.sql, row.workspace_id, ids)
  return Promise.all(
    ids.map(async (id) => {
      const file = files.get(id)
      if (file === undefined || file.digest === null) throw new AttachmentMissing()
      const bytes = blobs.read({ workspaceId: row.workspace_id, digest: file.digest }, { start: 0, end: file.size })
      return {
        filename: file.name ?? 'file',
        content: Buffer.from(await new Response(bytes).arrayBuffer()),
        contentType: file.type ?? 'application/octet-stream',
      }
    }),
  )
}

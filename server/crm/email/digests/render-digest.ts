/** Writes the email about a member's notifications. See docs/reference/inbox.md (Email digests). */

import { renderMentions } from '#crm/comments/content'
import type { ServiceSettings } from '#context'
import type { DataModel, Member } from '#engine/data-model/model'
import { recordUrl } from '#engine/data-model/record-url'
import type { NotificationRow } from '#crm/inbox/store'
import { excerpt } from '#base/text/excerpt'
import type { Email } from '#crm/email/send-email'

/** An email lists this many notifications. The console has the others. */
const MAX_LISTED = 20

export interface Digest {
  readonly model: DataModel
  readonly member: Member
  /** The oldest first, at least one. */
  readonly notifications: readonly NotificationRow[]
  /** The names of actors by their numbers. */
  readonly names: ReadonlyMap<number, string>
}

/** Throws `ModelVersionConflict` for a mentioned member that the model lacks. */
export function digestEmail({ appUrl }: Pick<ServiceSettings, 'appUrl'>, digest: Digest): Email {
  const { model, member, notifications } = digest
  const count = notifications.length
  const others = count - MAX_LISTED
  const inbox = `${appUrl}/inbox`
  return {
    to: member.email_address,
    subject: `${count === 1 ? 'A new notification' : `${count} new notifications`} in ${model.workspace.name}`,
    text: [
      ...notifications.slice(0, MAX_LISTED).map((row) => paragraph(appUrl, digest, row)),
      ...(others > 0 ? [`And ${others} more.`] : []),
      `All notifications, and the setting that switches these emails off:\n${inbox}`,
    ].join('\n\n'),
  }
}

const SAYS: Readonly<Record<NotificationRow['kind'], string>> = {
  mention: 'mentioned you',
  reply: 'replied to you',
  'task-assigned': 'assigned you a task',
}

function paragraph(appUrl: string, { model, names }: Digest, row: NotificationRow): string {
  const text = row.task_id === null ? renderMentions(model, row.content) : row.task_content
  const name = names.get(row.actor) ?? 'An app or API key'
  return `${name} ${SAYS[row.kind]}:\n${excerpt(text)}\n${pageOf(appUrl, model, row)}`
}

/** The page of a comment's record; the inbox for a task. */
function pageOf(appUrl: string, model: DataModel, row: NotificationRow): string {
  const object = row.task_id === null ? model.entityTypesById.get(row.object_id) : undefined
  if (row.task_id !== null || object?.kind !== 'object') return `${appUrl}/inbox`
  return recordUrl(appUrl, model, object, row.record_id)
}

/** Renders meetings. See docs/reference/meetings.md (Members). */

import type { ApiContext } from '#context'
import { viewerOf } from '#crm/mailboxes/list-emails'
import { visibleMeeting } from '#crm/meetings/visibility'
import { getActor } from '#engine/attribute-types/actor-reference'
import { renderInstant } from '#engine/attribute-types/formats/instants'
import { slugOfEntityType } from '#engine/data-model/find'
import { visibleLinks } from '#engine/data-model/access/hidden'
import type { DataModel } from '#engine/data-model/model'
import { etagOf } from '#engine/entities/read/etag'
import type { Meeting } from '#crm/meetings/meeting'
import type { MeetingOutput } from './schemas'
import { renderEnd, renderStart } from '#crm/meetings/times'

/** A meeting rendered, with the tag of its version for `If-Match`. */
export interface AnsweredMeeting {
  readonly data: MeetingOutput
  readonly etag: string
}

/** Undefined for a meeting that the caller does not see. */
export function answerMeeting(
  context: Pick<ApiContext, 'model' | 'memberId' | 'clientId'>,
  meeting: Meeting,
): AnsweredMeeting | undefined {
  const visible = visibleMeeting(meeting, viewerOf(context))
  return visible && { data: renderMeeting(context.model, visible), etag: etagOf(meeting.version) }
}

/** Throws `ModelVersionConflict` for an object or an actor that is newer than the data model. */
export const renderMeeting = (model: DataModel, meeting: Meeting): MeetingOutput => ({
  id: { workspace_id: model.workspace.id, meeting_id: meeting.id },
  title: meeting.title,
  description: meeting.description,
  is_all_day: meeting.isAllDay,
  start: renderStart(meeting),
  end: renderEnd(meeting),
  participants: meeting.participants.map(({ emailAddress, name, isOrganizer, status }) => ({
    status,
    is_organizer: isOrganizer,
    email_address: emailAddress,
    name: emailAddress === null ? name : null,
  })),
  linked_records: visibleLinks(model, meeting.links).map(({ objectId, recordId }) => ({
    object_slug: slugOfEntityType(model, objectId),
    object_id: objectId,
    record_id: recordId,
  })),
  created_at: renderInstant(meeting.createdAt, null),
  created_by_actor: getActor(model, meeting.createdBy),
})

import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import { ifMatch } from '#engine/entities/read/etag'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import type { Scope } from '#vocabulary/scopes'
import { createMeeting, deleteMeeting, replaceLinks, updateMeeting } from './write'
import { getMeeting, listMeetings } from './read'
import type { AnsweredMeeting } from './render'
import {
  CreateMeetingBody,
  DeleteMeetingQuery,
  MeetingAnswer,
  MeetingsAnswer,
  MeetingsQuery,
  ReplaceLinksBody,
  UpdateMeetingBody,
} from './schemas'

const tag = 'Meetings'
const READ: readonly Scope[] = ['meeting:read', 'record_permission:read']
const WRITE: readonly Scope[] = ['meeting:read-write', 'record_permission:read']

/** A meeting with its version as entity tag. */
const tagged = async (meeting: Promise<AnsweredMeeting>): Promise<JsonText> => {
  const { data, etag } = await meeting
  return new JsonText(JSON.stringify({ data }), { headers: { ETag: etag } })
}

/** See docs/reference/meetings.md. */
export const meetingRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'meetings' })
    .get(
      ...guard(
        '/v2/meetings',
        {
          operation: 'listMeetings',
          summary: 'List meetings',
          description: 'All meetings, or those of a record or of participants, by their start.',
          tag,
          tokenLevel: 'workspace',
          scopes: READ,
          query: MeetingsQuery,
          response: MeetingsAnswer,
        },
        ({ context, query }) => listMeetings(context, query),
      ),
    )
    .post(
      ...guard(
        '/v2/meetings',
        {
          operation: 'createMeeting',
          summary: 'Find or create a meeting',
          description: 'With an `external_ref` that was used before, returns the earlier meeting unchanged.',
          tag,
          scopes: WRITE,
          body: CreateMeetingBody,
          hasStatusCodeTwice: true,
          response: MeetingAnswer,
        },
        ({ context, body }) => tagged(createMeeting(context, body.data)),
      ),
    )
    .get(
      ...guard(
        '/v2/meetings/:meeting_id',
        { operation: 'getMeeting', summary: 'Get a meeting', tag, scopes: READ, response: MeetingAnswer },
        ({ context, params }) => tagged(getMeeting(context, params.meeting_id)),
      ),
    )
    .patch(
      ...guard(
        '/v2/meetings/:meeting_id',
        {
          operation: 'updateMeeting',
          summary: 'Update a meeting',
          description: 'Adds linked records to those that the meeting has. Participants are replaced as a whole.',
          tag,
          scopes: WRITE,
          body: UpdateMeetingBody,
          response: MeetingAnswer,
          usesIfMatch: true,
        },
        ({ context, params, body, request }) =>
          tagged(updateMeeting(context, params.meeting_id, body.data, ifMatch(request))),
      ),
    )
    .put(
      ...guard(
        '/v2/meetings/:meeting_id',
        {
          operation: 'replaceMeetingLinks',
          summary: 'Replace the linked records of a meeting',
          description: 'Also those of participants. An empty list unlinks all records.',
          tag,
          scopes: WRITE,
          body: ReplaceLinksBody,
          response: MeetingAnswer,
          usesIfMatch: true,
        },
        ({ context, params, body, request }) =>
          tagged(replaceLinks(context, params.meeting_id, body.data, ifMatch(request))),
      ),
    )
    .delete(
      ...guard(
        '/v2/meetings/:meeting_id',
        {
          operation: 'deleteMeeting',
          summary: 'Delete a meeting',
          description: 'A meeting of a calendar import is deleted with `force` only.',
          tag,
          scopes: ['meeting:read-write'],
          query: DeleteMeetingQuery,
          response: EmptyAnswer,
          usesIfMatch: true,
        },
        ({ context, params, query, request }) =>
          deleteMeeting(context, params.meeting_id, { force: query.force === true, ifMatch: ifMatch(request) }),
      ),
    )

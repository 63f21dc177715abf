/** Meetings and call recordings. */

import { BUSY } from '#crm/meetings/visibility'
import { defineFile, hex } from './define-file'

const ofAccounts = (meetingId: string) =>
  `exists (select from relata.synced_meetings y where y.workspace_id = $1 and y.meeting_id = ${meetingId})`
const IS_OF_ACCOUNTS = ofAccounts('t.id')

/** A meeting of connected calendars is read again where they are connected. Only its time is exported, for its call recordings. */
export const meetingsFile = defineFile({
  name: 'meetings',
  table: 'meetings',
  where: `not ${IS_OF_ACCOUNTS}
    or exists (select from relata.call_recordings c where c.workspace_id = $1 and c.meeting_id = t.id)`,
  order: 't.id',
  batch: 100,
  columns: {
    id: 'uuid',
    title: { type: 'text', select: `case when ${IS_OF_ACCOUNTS} then '${BUSY}' else t.title end` },
    description: { type: 'text', select: `case when ${IS_OF_ACCOUNTS} then '' else t.description end` },
    is_all_day: 'boolean',
    starts_at: 'timestamptz',
    ends_at: 'timestamptz',
    start_timezone: 'text',
    end_timezone: 'text',
    duration_class: 'smallint',
    external_key: { type: 'text', select: `case when not ${IS_OF_ACCOUNTS} then t.external_key end` },
    created_at: 'timestamptz',
    created_by: 'int',
    version: 'int',
  },
})

const TIMES = { is_all_day: 'boolean', duration_class: 'smallint', starts_at: 'timestamptz', ends_at: 'timestamptz' }

export const meetingParticipantsFile = defineFile({
  name: 'meeting-participants',
  table: 'meeting_participants',
  where: `not ${ofAccounts('t.meeting_id')}`,
  order: 't.meeting_id, t.position',
  columns: {
    meeting_id: 'uuid',
    position: 'int',
    email_address: 'text',
    name: 'text',
    is_organizer: 'boolean',
    status: 'text',
    ...TIMES,
  },
})

export const meetingLinksFile = defineFile({
  name: 'meeting-links',
  table: 'meeting_links',
  where: `not ${ofAccounts('t.meeting_id')}`,
  order: 't.meeting_id, t.record_id',
  columns: {
    meeting_id: 'uuid',
    object_id: 'uuid',
    record_id: 'uuid',
    position: 'int',
    linked_at: 'timestamptz',
    linked_by: 'int',
    is_given: 'boolean',
    ...TIMES,
  },
})

export const importedMeetingsFile = defineFile({
  name: 'imported-meetings',
  table: 'imported_meetings',
  where: `not ${ofAccounts('t.meeting_id')}`,
  order: 't.meeting_id',
  columns: {
    meeting_id: 'uuid',
    uid_hash: 'text',
    occurs_at: 'timestamptz',
    is_separate: 'boolean',
    sequence: 'int',
    changed_at: 'timestamptz',
    content_hash: 'text',
  },
})

/** The pending fetch of a video is not exported, so that a recording that still waits for it has failed. */
export const callRecordingsFile = defineFile({
  name: 'call-recordings',
  table: 'call_recordings',
  order: 't.id',
  columns: {
    id: 'uuid',
    meeting_id: 'uuid',
    status: { type: 'text', select: `case when t.status = 'processing' then 'failed' else t.status end` },
    blob_digest: hex('blob_digest'),
    // Exports of earlier versions do not have the member, and have no audio alone.
    media_type: {
      type: 'text',
      insert: `coalesce(r."media_type", case when r."blob_digest" is not null or r."status" = 'failed' then 'video/mp4' end)`,
    },
    created_at: 'timestamptz',
    created_by: 'int',
  },
})

/** The lexeme of the workspace, which begins with a colon, is that of the new workspace after an import. */
export const transcriptsFile = defineFile({
  name: 'transcripts',
  table: 'call_recording_transcripts',
  order: 't.call_recording_id',
  batch: 5,
  columns: {
    call_recording_id: 'uuid',
    raw_transcript: 'text',
    words: {
      type: 'text[]',
      select: `array(select word from unnest(tsvector_to_array(t.lexemes)) as word where word not like ':%')`,
      insert: `array_to_tsvector(array_append(r.words, ':' || $1::text))`,
      column: 'lexemes',
    },
  },
})

export const transcriptPagesFile = defineFile({
  name: 'transcript-pages',
  table: 'call_recording_transcript_pages',
  order: 't.call_recording_id, t.page',
  batch: 20,
  columns: { call_recording_id: 'uuid', page: 'int', segments: 'json' },
})

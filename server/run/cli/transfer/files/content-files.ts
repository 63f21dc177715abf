/** The files of what refers to records, entries and members: all but those of records and entries themselves. */

import { BUSY } from '#crm/meetings/visibility'
import { NO_ENTITY } from '#engine/storage/statements/rollup-statements'
import { defineFiles, hex } from './define-file'

const TIMES = { is_all_day: 'boolean', duration_class: 'smallint', starts_at: 'timestamptz', ends_at: 'timestamptz' }

const TASK_STATE = {
  is_completed: 'boolean',
  completed_at: 'timestamptz',
  deadline_at: 'timestamptz',
  created_at: 'timestamptz',
}

const MAILBOXES_OF_FILES = '(select m.id from relata.mailboxes m where m.workspace_id = $1 and m.account_id is null)'
const IS_OF_FILES = `t.email_id in (select e.id from relata.emails e where e.workspace_id = $1 and e.mailbox_id in ${MAILBOXES_OF_FILES})`

const ofAccounts = (meetingId: string) =>
  `exists (select from relata.synced_meetings y where y.workspace_id = $1 and y.meeting_id = ${meetingId})`
const IS_OF_ACCOUNTS = ofAccounts('t.id')

export const CONTENT_FILES = defineFiles({
  history: {
    isInWorkspaceSchema: true,
    order: 't.entity_id, t.attribute, t.active_from, t.sequence',
    columns: {
      entity_id: 'uuid',
      attribute: 'int',
      active_from: 'timestamptz',
      active_until: 'timestamptz',
      actor: 'int',
      ended_by: 'int',
      mirrored: 'boolean',
      value: 'jsonb',
      sequence: 'bigint',
    },
  },
  merges: {
    isInWorkspaceSchema: true,
    order: 't.old_id',
    columns: { old_id: 'uuid', new_id: 'uuid', merged_at: 'timestamptz', merged_by: 'int' },
  },
  'removed-entries': {
    order: 't.record_id, t.entry_id',
    columns: {
      record_id: 'uuid',
      entry_id: 'uuid',
      list_id: 'uuid',
      created_at: 'timestamptz',
      created_by: 'int',
      removed_at: 'timestamptz',
      removed_by: 'int',
    },
  },
  /** A meeting of connected calendars is read again where they are connected. Only its time is exported, for its call recordings. */
  meetings: {
    where: `(not ${IS_OF_ACCOUNTS}
    or exists (select from relata.call_recordings c where c.workspace_id = $1 and c.meeting_id = t.id))`,
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
  },
  'meeting-participants': {
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
  },
  'meeting-links': {
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
  },
  'imported-meetings': {
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
  },
  /** The pending fetch of a video is not exported, so that a recording that still waits for it has failed. */
  'call-recordings': {
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
  },
  /** The lexeme of the workspace, which begins with a colon, is that of the new workspace after an import. */
  transcripts: {
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
  },
  'transcript-pages': {
    table: 'call_recording_transcript_pages',
    order: 't.call_recording_id, t.page',
    batch: 20,
    columns: { call_recording_id: 'uuid', page: 'int', segments: 'json' },
  },
  notes: {
    batch: 50,
    columns: {
      id: 'uuid',
      parent_object_id: 'uuid',
      parent_record_id: 'uuid',
      title: 'text',
      content: 'jsonb',
      // A meeting of connected calendars is not exported.
      meeting_id: { type: 'uuid', select: `case when not ${ofAccounts('t.meeting_id')} then t.meeting_id end` },
      created_at: 'timestamptz',
      created_by: 'int',
      version: 'int',
    },
  },
  tasks: {
    columns: {
      id: 'uuid',
      content: 'text',
      ...TASK_STATE,
      deadline_ns: 'smallint',
      completed_by: 'int',
      assignees: 'int[]',
      created_by: 'int',
      version: 'int',
    },
  },
  'task-assignees': {
    order: 't.task_id, t.assignee',
    columns: { task_id: 'uuid', assignee: 'int', ...TASK_STATE },
  },
  'task-links': {
    order: 't.task_id, t.record_id',
    columns: {
      task_id: 'uuid',
      object_id: 'uuid',
      record_id: 'uuid',
      position: 'int',
      linked_at: 'timestamptz',
      linked_by: 'int',
      assignees: 'int[]',
      ...TASK_STATE,
    },
  },
  threads: {
    columns: {
      id: 'uuid',
      object_id: 'uuid',
      record_id: 'uuid',
      list_id: 'uuid',
      entry_id: 'uuid',
      created_at: 'timestamptz',
      resolved_at: 'timestamptz',
      resolved_by: 'int',
    },
  },
  comments: {
    batch: 100,
    columns: {
      id: 'uuid',
      thread_id: 'uuid',
      author_id: 'uuid',
      content: 'jsonb',
      created_at: 'timestamptz',
      edited_at: 'timestamptz',
      record_id: 'uuid',
      list_id: 'uuid',
    },
    later: ['edited_at'],
  },
  /** Imported notifications are in no later digest. */
  notifications: {
    order: 't.member_id, t.id',
    columns: {
      id: 'uuid',
      member_id: 'uuid',
      kind: 'text',
      comment_id: 'uuid',
      task_id: 'uuid',
      actor: 'int',
      created_at: 'timestamptz',
      read_at: 'timestamptz',
    },
    constants: { is_digested: 'true' },
  },
  /** A folder comes before what it contains, because its row must exist. */
  files: {
    from: `(with recursive f as (
        select top.*, 0 as depth from relata.files top where top.workspace_id = $1 and top.parent_folder_id is null
        union all
        select c.*, f.depth + 1 from relata.files c join f on c.workspace_id = f.workspace_id and c.parent_folder_id = f.id
      ) select * from f)`,
    order: 't.depth, t.id',
    columns: {
      id: 'uuid',
      object_id: 'uuid',
      record_id: 'uuid',
      file_type: 'text',
      parent_folder_id: 'uuid',
      name: 'text',
      content_type: 'text',
      detected_type: 'text',
      content_size: 'bigint',
      blob_digest: hex('blob_digest'),
      storage_provider: 'text',
      external_provider_file_id: 'text',
      microsoft_drive_id: 'text',
      url: 'text',
      note_id: 'uuid',
      created_at: 'timestamptz',
      created_by: 'int',
    },
    later: ['note_id'],
  },
  'dismissed-duplicates': {
    order: 't.record_id, t.other_record_id',
    columns: { record_id: 'uuid', other_record_id: 'uuid', dismissed_by: 'int', created_at: 'timestamptz' },
  },
  'record-pictures': {
    // Another service fetches the others itself.
    where: 't.sources_hash is null',
    order: 't.record_id',
    columns: { object_id: 'uuid', record_id: 'uuid', blob_digest: hex('blob_digest') },
  },
  'record-followers': {
    order: 't.record_id, t.member_id',
    columns: { object_id: 'uuid', record_id: 'uuid', member_id: 'uuid', followed_at: 'timestamptz' },
  },
  /** Records that were deleted for good, while the history of look-ups and lists still has their values. */
  'value-erasures': {
    table: 'rollup_refreshes',
    where: 't.is_erasure',
    columns: {
      id: 'uuid',
      entity_type_id: 'uuid',
      attribute_id: 'uuid',
      entity_id: 'uuid',
      requested_at: 'timestamptz',
    },
    constants: {
      after: `case when r."attribute_id" is not null then '${NO_ENTITY}'::uuid end`,
      due_at: 'now()',
      is_erasure: 'true',
    },
    isOptional: true,
  },
  /** A mailbox of a connected account stays here with its emails: the account is not exported, and is read again where it is connected. */
  mailboxes: {
    where: 't.account_id is null',
    columns: { id: 'uuid', member_id: 'uuid', created_at: 'timestamptz' },
  },
  emails: {
    where: `t.mailbox_id in ${MAILBOXES_OF_FILES}`,
    columns: {
      id: 'uuid',
      mailbox_id: 'uuid',
      message_key: 'text',
      thread_key: 'text',
      sent_at: 'timestamptz',
      direction: 'text',
      subject_line: 'text',
      participants: 'jsonb',
    },
  },
  'email-addresses': {
    where: IS_OF_FILES,
    order: 't.email_id, t.email_address, t.sent_at',
    columns: { email_id: 'uuid', email_address: 'text', sent_at: 'timestamptz', owner: 'int' },
  },
  'email-domains': {
    where: IS_OF_FILES,
    order: 't.email_id, t.email_domain, t.sent_at',
    columns: { email_id: 'uuid', email_domain: 'text', sent_at: 'timestamptz', owner: 'int' },
  },
  'unsubscribed-emails': {
    order: 't.email_address',
    columns: { email_address: 'text', created_at: 'timestamptz' },
  },
  'email-templates': {
    columns: {
      id: 'uuid',
      object_id: 'uuid',
      name: 'text',
      subject: 'text',
      body: 'text',
      unsubscribe: 'boolean',
      created_at: 'timestamptz',
    },
  },
  dashboards: {
    columns: {
      id: 'uuid',
      title: 'text',
      charts: 'jsonb',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
      member_id: 'uuid',
    },
  },
  'saved-queries': {
    batch: 100,
    columns: {
      id: 'uuid',
      name: 'text',
      sql: 'text',
      member_id: 'uuid',
      version: 'int',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
    },
  },
  /** An imported webhook has a new secret, and sends nothing before a person activates it. */
  webhooks: {
    columns: {
      id: 'uuid',
      client_id: 'uuid',
      target_url: 'text',
      subscriptions: 'jsonb',
      created_at: 'timestamptz',
      created_by: 'int',
      saved_by: 'int',
      name: 'text',
    },
    former: ['fingerprint'],
    later: ['name'],
    constants: { status: `'inactive'` },
    added: { secret: 'text' },
  },
})

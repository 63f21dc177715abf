/** Texts of an erasure's report. */

import { dayText } from '../../../values/formats'

const TEXTS: Readonly<Record<string, string>> = {
  attributes: 'Attributes of the data model',
  audit_log: 'Audit log entries',
  call_recording_transcript_pages: 'Pages of transcripts',
  call_recording_transcripts: 'Transcripts of calls',
  comments: 'Comments that name the person',
  deliveries: 'Webhook deliveries',
  delivery_attempts: 'Answers of webhook receivers',
  emails: 'Emails',
  events: 'Events of the feed',
  files: 'Names of files',
  history: 'Past values of records',
  idempotent_answers: 'Stored answers of the API',
  import_problems: 'Problems of imports',
  import_updates: 'Values stored for undoing imports',
  imports: 'Imports',
  invitations: 'Invitations',
  jobs: 'Bulk changes',
  meeting_participants: 'Participations in meetings',
  meetings: 'Meetings',
  notes: 'Notes that name the person',
  options: 'Options of select attributes',
  outbox: 'Events that are not published yet',
  query_history: 'SQL query history',
  recent_requests: 'Recent requests',
  saved_queries: 'Saved SQL queries',
  scim_requests: 'Requests of the identity provider',
  tasks: 'Tasks that name the person',
  teams: 'Teams',
  test_requests: 'Requests at test endpoints',
  tool_calls: 'Calls of assistants',
  trash: 'Records in the trash',
  trash_parts: 'Parts of records in the trash',
  unsubscribed_emails: 'Unsubscribed addresses',
  views: 'Views',
  webhooks: 'Webhooks',
}

/** Records and entries are named by their kind and slug. */
export const tableText = (table: string): string =>
  TEXTS[table] ??
  table
    .replace(/^object (.*)$/, 'Records of $1 that name the person')
    .replace(/^list (.*)$/, 'Entries of $1')
    .replaceAll('_', ' ')

/** Says until when backups have the person. `end` is null when the service makes none by itself. */
export const backupsText = (end: string | null): string =>
  end === null
    ? 'Backups made before now still have the data. Ask the operator of this service how long they are kept.'
    : `Scheduled backups made before now have the data until ${dayText(end)}, or longer if backups fail. Erase the person again if one of them is restored.`

/** All files of an exported workspace besides those of records and entries, in the order in which an import inserts their rows. */

import * as attachments from './attachment-files'
import type { FileDefinition } from './define-file'
import * as meetings from './meeting-files'
import * as members from './member-files'
import * as model from './model-files'
import * as other from './other-files'
import * as records from './record-files'

/** Members and the data model. Without them, the tables of records cannot be created. */
export const MODEL_FILES: readonly FileDefinition[] = [
  members.blobs,
  members.actors,
  members.members,
  members.memberPictures,
  members.inboxes,
  members.teams,
  members.teamMembers,
  model.objects,
  model.objectTeams,
  model.lists,
  model.listMembers,
  model.listTeams,
  model.attributes,
  model.options,
  model.views,
  model.viewPins,
]

/** What refers to records, entries and members. */
export const CONTENT_FILES: readonly FileDefinition[] = [
  records.history,
  records.merges,
  records.removedEntries,
  meetings.meetings,
  meetings.meetingParticipants,
  meetings.meetingLinks,
  meetings.importedMeetings,
  meetings.callRecordings,
  meetings.transcripts,
  meetings.transcriptPages,
  attachments.notes,
  attachments.tasks,
  attachments.taskAssignees,
  attachments.taskLinks,
  attachments.threads,
  attachments.comments,
  attachments.notifications,
  attachments.files,
  attachments.dismissedDuplicates,
  other.mailboxes,
  other.emails,
  other.emailAddresses,
  other.emailDomains,
  other.unsubscribedEmails,
  other.savedQueries,
  other.webhooks,
]

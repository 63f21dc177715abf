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
  members.blobsFile,
  members.actorsFile,
  members.membersFile,
  members.memberPicturesFile,
  members.inboxesFile,
  members.teamsFile,
  members.teamMembersFile,
  model.objectsFile,
  model.objectTeamsFile,
  model.activitiesFile,
  model.listsFile,
  model.listMembersFile,
  model.listTeamsFile,
  model.attributesFile,
  model.optionsFile,
  model.deletedEntityTypesFile,
  model.viewsFile,
  model.viewPinsFile,
]

/** What refers to records, entries and members. */
export const CONTENT_FILES: readonly FileDefinition[] = [
  records.historyFile,
  records.mergesFile,
  records.removedEntriesFile,
  meetings.meetingsFile,
  meetings.meetingParticipantsFile,
  meetings.meetingLinksFile,
  meetings.importedMeetingsFile,
  meetings.callRecordingsFile,
  meetings.transcriptsFile,
  meetings.transcriptPagesFile,
  attachments.notesFile,
  attachments.tasksFile,
  attachments.taskAssigneesFile,
  attachments.taskLinksFile,
  attachments.threadsFile,
  attachments.commentsFile,
  attachments.notificationsFile,
  attachments.filesFile,
  attachments.dismissedDuplicatesFile,
  other.mailboxesFile,
  other.emailsFile,
  other.emailAddressesFile,
  other.emailDomainsFile,
  other.unsubscribedEmailsFile,
  other.emailTemplatesFile,
  other.savedQueriesFile,
  other.webhooksFile,
]

/** All files of an exported workspace besides those of records and entries, in the order in which an import inserts their rows. */

import * as content from './content-files'
import type { FileDefinition } from './define-file'
import * as model from './model-files'

/** Members and the data model. Without them, the tables of records cannot be created. */
export const MODEL_FILES: readonly FileDefinition[] = [
  model.blobsFile,
  model.actorsFile,
  model.membersFile,
  model.memberPicturesFile,
  model.inboxesFile,
  model.teamsFile,
  model.teamMembersFile,
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
  content.historyFile,
  content.mergesFile,
  content.removedEntriesFile,
  content.meetingsFile,
  content.meetingParticipantsFile,
  content.meetingLinksFile,
  content.importedMeetingsFile,
  content.callRecordingsFile,
  content.transcriptsFile,
  content.transcriptPagesFile,
  content.notesFile,
  content.tasksFile,
  content.taskAssigneesFile,
  content.taskLinksFile,
  content.threadsFile,
  content.commentsFile,
  content.notificationsFile,
  content.filesFile,
  content.dismissedDuplicatesFile,
  content.mailboxesFile,
  content.emailsFile,
  content.emailAddressesFile,
  content.emailDomainsFile,
  content.unsubscribedEmailsFile,
  content.emailTemplatesFile,
  content.savedQueriesFile,
  content.webhooksFile,
]

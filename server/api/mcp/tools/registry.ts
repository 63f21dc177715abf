/** All tools, in the order in which assistants see them. */

import { createComment, listComments } from './comments'
import { getDataModel } from './data-model'
import type { Tool } from './define'
import { createEntry, listRecordEntries, queryEntries, updateEntry } from './entries'
import { listMembers } from './members'
import { createNote, getNote, listNotes } from './notes'
import { createRecord, getRecord, queryRecords, searchRecords, updateRecord, upsertRecord } from './records'
import { runSql } from './sql'
import { createTask, listTasks, updateTask } from './tasks'

export const TOOLS: readonly Tool[] = [
  getDataModel,
  searchRecords,
  queryRecords,
  getRecord,
  createRecord,
  updateRecord,
  upsertRecord,
  queryEntries,
  listRecordEntries,
  createEntry,
  updateEntry,
  listNotes,
  getNote,
  createNote,
  listTasks,
  createTask,
  updateTask,
  listComments,
  createComment,
  listMembers,
  runSql,
]

/** All tools, in the order in which assistants see them. */

import {
  createActivityRecordTool,
  queryActivityRecordsTool,
  updateActivityRecordTool,
  createEntryTool,
  listRecordEntriesTool,
  queryEntriesTool,
  updateEntryTool,
  createRecordTool,
  getRecordTool,
  queryRecordsTool,
  searchRecordsTool,
  updateRecordTool,
  upsertRecordTool,
} from './records'
import {
  createCommentTool,
  listCommentsTool,
  createNoteTool,
  getNoteTool,
  listNotesTool,
  createTaskTool,
  listTasksTool,
  updateTaskTool,
} from './notes-tasks-comments'
import { getDataModelTool, listMembersTool, runSqlTool } from './data-model'
import type { Tool } from './define'

export const TOOLS: readonly Tool[] = [
  getDataModelTool,
  searchRecordsTool,
  queryRecordsTool,
  getRecordTool,
  createRecordTool,
  updateRecordTool,
  upsertRecordTool,
  queryEntriesTool,
  listRecordEntriesTool,
  createEntryTool,
  updateEntryTool,
  queryActivityRecordsTool,
  createActivityRecordTool,
  updateActivityRecordTool,
  listNotesTool,
  getNoteTool,
  createNoteTool,
  listTasksTool,
  createTaskTool,
  updateTaskTool,
  listCommentsTool,
  createCommentTool,
  listMembersTool,
  runSqlTool,
]

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
import { createCommentTool, listCommentsTool } from './comments'
import { getDataModelTool, listMembersTool, runSqlTool } from './data-model'
import type { Tool } from './define'
import { createNoteTool, getNoteTool, listNotesTool } from './notes'
import { createTaskTool, listTasksTool, updateTaskTool } from './tasks'

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

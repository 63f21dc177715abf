/** What is attached to records: notes, tasks, comments, files, and pairs that are no duplicates. */

import { defineFile, hex } from './define-file'

export const dismissedDuplicatesFile = defineFile({
  name: 'dismissed-duplicates',
  table: 'dismissed_duplicates',
  order: 't.record_id, t.other_record_id',
  columns: { record_id: 'uuid', other_record_id: 'uuid', dismissed_by: 'int', created_at: 'timestamptz' },
})

export const notesFile = defineFile({
  name: 'notes',
  table: 'notes',
  order: 't.id',
  batch: 50,
  columns: {
    id: 'uuid',
    parent_object_id: 'uuid',
    parent_record_id: 'uuid',
    title: 'text',
    content: 'jsonb',
    // A meeting of connected calendars is not exported.
    meeting_id: {
      type: 'uuid',
      select: `case when not exists (select from relata.synced_meetings y where y.workspace_id = $1 and y.meeting_id = t.meeting_id)
        then t.meeting_id end`,
    },
    created_at: 'timestamptz',
    created_by: 'int',
    version: 'int',
  },
})

const TASK_STATE = {
  is_completed: 'boolean',
  completed_at: 'timestamptz',
  deadline_at: 'timestamptz',
  created_at: 'timestamptz',
}

export const tasksFile = defineFile({
  name: 'tasks',
  table: 'tasks',
  order: 't.id',
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
})

export const taskAssigneesFile = defineFile({
  name: 'task-assignees',
  table: 'task_assignees',
  order: 't.task_id, t.assignee',
  columns: { task_id: 'uuid', assignee: 'int', ...TASK_STATE },
})

export const taskLinksFile = defineFile({
  name: 'task-links',
  table: 'task_links',
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
})

export const threadsFile = defineFile({
  name: 'threads',
  table: 'threads',
  order: 't.id',
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
})

export const commentsFile = defineFile({
  name: 'comments',
  table: 'comments',
  order: 't.id',
  batch: 100,
  columns: {
    id: 'uuid',
    thread_id: 'uuid',
    author_id: 'uuid',
    content: 'jsonb',
    created_at: 'timestamptz',
    record_id: 'uuid',
    list_id: 'uuid',
  },
})

/** Imported notifications are in no later digest. */
export const notificationsFile = defineFile({
  name: 'notifications',
  table: 'notifications',
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
})

/** A folder comes before what it contains, because its row must exist. */
export const filesFile = defineFile({
  name: 'files',
  table: 'files',
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
    created_at: 'timestamptz',
    created_by: 'int',
  },
})

/** What belongs to records and entries besides their active values. */

import { defineFile } from './define-file'

export const historyFile = defineFile({
  name: 'history',
  table: 'history',
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
})

export const mergesFile = defineFile({
  name: 'merges',
  table: 'merges',
  isInWorkspaceSchema: true,
  order: 't.old_id',
  columns: { old_id: 'uuid', new_id: 'uuid', merged_at: 'timestamptz', merged_by: 'int' },
})

export const removedEntriesFile = defineFile({
  name: 'removed-entries',
  table: 'removed_entries',
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
})

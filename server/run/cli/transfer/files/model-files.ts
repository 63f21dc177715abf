/** The files of members and of the data model. Without them, the tables of records cannot be created. */

import { PICTURES_PATH } from '#access/members/pictures'
import { defineFiles, hex } from './define-file'

const refersToBlob = (table: string, condition = 'true') =>
  `exists (select from relata."${table}" r where r.workspace_id = t.workspace_id and r.blob_digest = t.digest and ${condition})`

/** Whether a picture `r` of a record was uploaded. Another service fetches the others itself. */
const IS_UPLOADED = 'r.sources_hash is null'

/** Whether a blob `t` belongs to an exported row. Others may belong to rows that are not exported. */
export const IS_EXPORTED_BLOB = `(${['files', 'call_recordings', 'member_pictures'].map((table) => refersToBlob(table)).join(' or ')}
  or ${refersToBlob('record_pictures', IS_UPLOADED)})`

const ENTITY_TYPE = { id: 'uuid', number: 'int', api_slug: 'text', created_at: 'timestamptz' }

export const MODEL_FILES = defineFiles({
  blobs: {
    where: IS_EXPORTED_BLOB,
    order: 't.digest',
    columns: { digest: hex('digest'), size: 'bigint' },
  },
  actors: {
    order: 't.number',
    columns: { number: 'int', type: 'text', id: 'uuid' },
  },
  members: {
    table: 'workspace_members',
    columns: {
      id: 'uuid',
      email_address: 'text',
      first_name: 'text',
      last_name: 'text',
      access_level: 'text',
      former_access_level: 'text',
      // The path of a picture contains the id of the workspace; the import makes it again.
      avatar_url: {
        type: 'text',
        select: `case when t.avatar_url not like '${PICTURES_PATH}/%' then t.avatar_url end`,
      },
      external_id: 'text',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
      user_deleted_at: 'timestamptz',
      account_email_address: {
        type: 'text',
        select: '(select a.email_address from relata.accounts a where a.id = t.account_id)',
        insert: null,
      },
    },
    added: { account_id: 'uuid' },
  },
  'member-pictures': {
    order: 't.workspace_member_id',
    columns: { workspace_member_id: 'uuid', blob_digest: hex('blob_digest'), content_type: 'text' },
  },
  inboxes: {
    order: 't.member_id',
    columns: { member_id: 'uuid', sends_digest: 'boolean' },
  },
  teams: {
    columns: { id: 'uuid', name: 'text', external_id: 'text', created_at: 'timestamptz', updated_at: 'timestamptz' },
  },
  'team-members': {
    order: 't.team_id, t.member_id',
    columns: { team_id: 'uuid', member_id: 'uuid' },
  },
  objects: {
    from: '(select * from relata.entity_types join relata.objects using (workspace_id, id))',
    order: 't.number',
    columns: {
      ...ENTITY_TYPE,
      singular_noun: 'text',
      plural_noun: 'text',
      standard_slug: 'text',
      is_enabled: 'boolean',
      member_access: 'text',
    },
    constants: { kind: `'object'` },
    targets: [
      { table: 'entity_types', columns: ['id', 'number', 'api_slug', 'created_at', 'kind'] },
      {
        table: 'objects',
        columns: ['id', 'singular_noun', 'plural_noun', 'standard_slug', 'is_enabled', 'member_access'],
      },
    ],
  },
  'object-teams': {
    order: 't.object_id, t.team_id',
    columns: { object_id: 'uuid', team_id: 'uuid', access: 'text' },
  },
  activities: {
    from: '(select * from relata.entity_types join relata.activities using (workspace_id, id))',
    order: 't.number',
    columns: { ...ENTITY_TYPE, singular_noun: 'text', plural_noun: 'text', schema_slug: 'text', system_slug: 'text' },
    constants: { kind: `'activity'` },
    targets: [
      { table: 'entity_types', columns: ['id', 'number', 'api_slug', 'created_at', 'kind'] },
      { table: 'activities', columns: ['id', 'singular_noun', 'plural_noun', 'schema_slug', 'system_slug'] },
    ],
  },
  lists: {
    from: '(select * from relata.entity_types join relata.lists using (workspace_id, id))',
    order: 't.number',
    columns: {
      ...ENTITY_TYPE,
      name: 'text',
      parent_object_id: 'uuid',
      workspace_access: 'text',
      created_by: 'int',
    },
    constants: { kind: `'list'` },
    targets: [
      { table: 'entity_types', columns: ['id', 'number', 'api_slug', 'created_at', 'kind'] },
      { table: 'lists', columns: ['id', 'name', 'parent_object_id', 'workspace_access', 'created_by'] },
    ],
  },
  'list-members': {
    order: 't.list_id, t.position, t.workspace_member_id',
    columns: { list_id: 'uuid', workspace_member_id: 'uuid', position: 'int', level: 'text' },
  },
  'list-teams': {
    order: 't.list_id, t.team_id',
    columns: { list_id: 'uuid', team_id: 'uuid', level: 'text' },
  },
  attributes: {
    order: 't.number',
    columns: {
      id: 'uuid',
      number: 'int',
      entity_type_id: 'uuid',
      position: 'int',
      api_slug: 'text',
      title: 'text',
      description: 'text',
      type: 'text',
      is_system_attribute: 'boolean',
      is_writable: 'boolean',
      is_required: 'boolean',
      is_unique: 'boolean',
      // Exports of earlier versions do not have the member.
      has_duplicates: { type: 'boolean', insert: 'coalesce(r."has_duplicates", false)' },
      is_multiselect: 'boolean',
      is_default_value_enabled: 'boolean',
      is_archived: 'boolean',
      has_history: 'boolean',
      default_value: 'jsonb',
      config: 'jsonb',
      stored_in: 'text',
      computed: 'jsonb',
      relationship_attribute_id: 'uuid',
      created_at: 'timestamptz',
    },
  },
  options: {
    order: 't.number',
    columns: {
      id: 'uuid',
      number: 'int',
      attribute_id: 'uuid',
      position: 'int',
      title: 'text',
      is_archived: 'boolean',
      celebration_enabled: 'boolean',
      target_time_in_status: 'text',
      color: 'text',
      created_at: 'timestamptz',
    },
  },
  /** Lines of objects, activities, lists and attributes that a deletion hides have their id as slug. */
  'deleted-entity-types': {
    order: 't.entity_type_id',
    columns: {
      entity_type_id: 'uuid',
      deleted_at: 'timestamptz',
      deleted_by: 'int',
      expires_at: 'timestamptz',
      names: 'jsonb',
    },
    constants: { due_at: 'r."expires_at"' },
    isOptional: true,
  },
  views: {
    order: 't.entity_type_id, t.id',
    columns: {
      id: 'uuid',
      entity_type_id: 'uuid',
      title: 'text',
      type: 'text',
      filter: 'jsonb',
      sorts: 'jsonb',
      visible_attributes: 'jsonb',
      board: 'jsonb',
      group_by: 'text',
      is_default: { type: 'boolean', insert: 'coalesce(r."is_default", false)' },
      is_archived: 'boolean',
      created_at: 'timestamptz',
      member_id: 'uuid',
    },
  },
  'view-pins': {
    order: 't.member_id, t.view_id',
    columns: { member_id: 'uuid', entity_type_id: 'uuid', view_id: 'uuid', created_at: 'timestamptz' },
  },
})

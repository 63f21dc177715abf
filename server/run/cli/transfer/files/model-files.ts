/** The data model: objects, activities, lists, who has access to them, attributes, options, views and their pins. */

import { defineFile } from './define-file'

const ENTITY_TYPE = { id: 'uuid', number: 'int', api_slug: 'text', created_at: 'timestamptz' }

export const objectsFile = defineFile({
  name: 'objects',
  table: 'objects',
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
})

export const objectTeamsFile = defineFile({
  name: 'object-teams',
  table: 'object_teams',
  order: 't.object_id, t.team_id',
  columns: { object_id: 'uuid', team_id: 'uuid', access: 'text' },
})

export const activitiesFile = defineFile({
  name: 'activities',
  table: 'activities',
  from: '(select * from relata.entity_types join relata.activities using (workspace_id, id))',
  order: 't.number',
  columns: { ...ENTITY_TYPE, singular_noun: 'text', plural_noun: 'text', schema_slug: 'text', system_slug: 'text' },
  constants: { kind: `'activity'` },
  targets: [
    { table: 'entity_types', columns: ['id', 'number', 'api_slug', 'created_at', 'kind'] },
    { table: 'activities', columns: ['id', 'singular_noun', 'plural_noun', 'schema_slug', 'system_slug'] },
  ],
})

export const listsFile = defineFile({
  name: 'lists',
  table: 'lists',
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
})

export const listMembersFile = defineFile({
  name: 'list-members',
  table: 'list_members',
  order: 't.list_id, t.position, t.workspace_member_id',
  columns: { list_id: 'uuid', workspace_member_id: 'uuid', position: 'int', level: 'text' },
})

export const listTeamsFile = defineFile({
  name: 'list-teams',
  table: 'list_teams',
  order: 't.list_id, t.team_id',
  columns: { list_id: 'uuid', team_id: 'uuid', level: 'text' },
})

export const attributesFile = defineFile({
  name: 'attributes',
  table: 'attributes',
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
    relationship_attribute_id: 'uuid',
    created_at: 'timestamptz',
  },
})

/** Lines of objects, activities, lists and attributes that a deletion hides have their id as slug. */
export const deletedEntityTypesFile = defineFile({
  name: 'deleted-entity-types',
  table: 'deleted_entity_types',
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
})

export const optionsFile = defineFile({
  name: 'options',
  table: 'options',
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
})

export const viewsFile = defineFile({
  name: 'views',
  table: 'views',
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
    is_archived: 'boolean',
    created_at: 'timestamptz',
    member_id: 'uuid',
  },
})

export const viewPinsFile = defineFile({
  name: 'view-pins',
  table: 'view_pins',
  order: 't.member_id, t.view_id',
  columns: { member_id: 'uuid', entity_type_id: 'uuid', view_id: 'uuid', created_at: 'timestamptz' },
})

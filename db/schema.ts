/** Generated from the migrations by `bun db:types`. Timestamps and json are text, as the driver gives them. */

import type { Generated, GeneratedAlways } from 'kysely'

export interface DB {
  'relata.accounts': AccountsTable
  'relata.actors': ActorsTable
  'relata.attributes': AttributesTable
  'relata.indexes': IndexesTable
  'relata.list_members': ListMembersTable
  'relata.lists': ListsTable
  'relata.migrations': MigrationsTable
  'relata.objects': ObjectsTable
  'relata.options': OptionsTable
  'relata.owners': OwnersTable
  'relata.query_scores': QueryScoresTable
  'relata.tokens': TokensTable
  'relata.views': ViewsTable
  'relata.workspace_members': WorkspaceMembersTable
  'relata.workspaces': WorkspacesTable
}

export interface AccountsTable {
  id: string
  email_address: string
  password_hash: string
  created_at: string
}

export interface ActorsTable {
  workspace_id: string
  number: number
  type: string
  id: string
}

export interface AttributesTable {
  workspace_id: string
  owner_id: string
  id: string
  number: number
  position: number
  title: string
  description: string | null
  api_slug: string
  type: string
  is_system_attribute: Generated<boolean>
  is_writable: Generated<boolean>
  is_required: Generated<boolean>
  is_unique: Generated<boolean>
  is_multiselect: Generated<boolean>
  is_default_value_enabled: Generated<boolean>
  is_archived: Generated<boolean>
  has_history: Generated<boolean>
  default_value: string | null
  config: Generated<string>
  stored_in: Generated<string>
  relationship_attribute_id: string | null
  created_at: string
}

export interface IndexesTable {
  workspace_id: string
  owner_id: string
  attribute_id: string | null
  name: string
  kind: string
  definition: string
  state: Generated<string>
  is_pinned: Generated<boolean>
  wishes: Generated<number>
  first_wished_at: string
  last_wished_at: string
  failures: Generated<number>
  retry_at: string | null
  error: string | null
  built_at: string | null
  build_ms: number | null
  scans: Generated<string>
  last_used_at: string | null
}

export interface ListMembersTable {
  workspace_id: string
  list_id: string
  workspace_member_id: string
  position: number
  level: string
}

export interface ListsTable {
  workspace_id: string
  id: string
  name: string
  parent_object_id: string
  workspace_access: string | null
  created_by: number
}

export interface MigrationsTable {
  name: string
  applied_at: Generated<string>
}

export interface ObjectsTable {
  workspace_id: string
  id: string
  singular_noun: string
  plural_noun: string
  standard_slug: string | null
  is_enabled: Generated<boolean>
}

export interface OptionsTable {
  workspace_id: string
  attribute_id: string
  id: string
  number: number
  position: number
  title: string
  is_archived: Generated<boolean>
  celebration_enabled: Generated<boolean>
  target_time_in_status: string | null
  created_at: string
}

export interface OwnersTable {
  workspace_id: string
  id: string
  number: number
  kind: string
  api_slug: string
  created_at: string
}

export interface QueryScoresTable {
  workspace_id: string
  slot: string
  score: number
}

export interface TokensTable {
  workspace_id: string
  id: string
  name: string
  token_hash: Buffer
  hint: string
  scopes: string[]
  client_id: string
  actor: number
  authorized_by_workspace_member_id: string
  created_at: string
  last_used_at: string | null
  expires_at: string | null
  revoked_at: string | null
}

export interface ViewsTable {
  workspace_id: string
  owner_id: string
  id: string
  title: string
  type: string
  filter: string
  sorts: string
  visible_attributes: string | null
  is_archived: Generated<boolean>
  created_at: string
}

export interface WorkspaceMembersTable {
  workspace_id: string
  id: string
  account_id: string | null
  first_name: string
  last_name: string
  email_address: string
  avatar_url: string | null
  access_level: string
  created_at: string
}

export interface WorkspacesTable {
  id: string
  number: GeneratedAlways<number>
  slug: string
  name: string
  logo_url: string | null
  data_model_version: Generated<number>
  last_number: Generated<number>
  secret: Generated<string>
  shows_updated_at: Generated<boolean>
  created_at: string
}

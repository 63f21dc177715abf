-- Generated from the migrations by `bun db:types`: all control tables on one page.

create table relata.accounts (
  id uuid not null,
  email_address text not null,
  password_hash text not null,
  created_at timestamptz not null,
  primary key (id),
  unique (email_address)
);

create table relata.actors (
  workspace_id uuid not null,
  number int not null,
  type text not null,
  id uuid not null,
  primary key (workspace_id, number),
  unique (workspace_id, type, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((type = any (array['api-token'::text, 'workspace-member'::text, 'app'::text])))
);

create table relata.attributes (
  workspace_id uuid not null,
  owner_id uuid not null,
  id uuid not null,
  number int not null,
  position int not null,
  title text not null,
  description text,
  api_slug text not null,
  type text not null,
  is_system_attribute boolean not null default false,
  is_writable boolean not null default true,
  is_required boolean not null default false,
  is_unique boolean not null default false,
  is_multiselect boolean not null default false,
  is_default_value_enabled boolean not null default false,
  is_archived boolean not null default false,
  has_history boolean not null default true,
  default_value jsonb,
  config jsonb not null default '{}'::jsonb,
  stored_in text not null default 'columns'::text,
  relationship_attribute_id uuid,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, number),
  unique (workspace_id, owner_id, api_slug),
  foreign key (workspace_id, owner_id) references relata.owners(workspace_id, id) on delete cascade,
  foreign key (workspace_id, relationship_attribute_id) references relata.attributes(workspace_id, id) deferrable initially deferred,
  check ((stored_in = any (array['columns'::text, 'holder'::text, 'partner'::text])))
);

create table relata.indexes (
  workspace_id uuid not null,
  owner_id uuid not null,
  attribute_id uuid,
  name text not null,
  kind text not null,
  definition text not null,
  state text not null default 'wanted'::text,
  is_pinned boolean not null default false,
  wishes int not null default 0,
  first_wished_at timestamptz not null,
  last_wished_at timestamptz not null,
  failures int not null default 0,
  retry_at timestamptz,
  error text,
  built_at timestamptz,
  build_ms int,
  scans bigint not null default 0,
  last_used_at timestamptz,
  primary key (workspace_id, name),
  foreign key (workspace_id, attribute_id) references relata.attributes(workspace_id, id) on delete cascade,
  foreign key (workspace_id, owner_id) references relata.owners(workspace_id, id) on delete cascade,
  check ((kind = any (array['ordered'::text, 'descending'::text, 'exact'::text, 'elements'::text, 'trigram'::text, 'search'::text]))),
  check ((state = any (array['wanted'::text, 'building'::text, 'ready'::text, 'failed'::text, 'refused'::text])))
);

create table relata.list_members (
  workspace_id uuid not null,
  list_id uuid not null,
  workspace_member_id uuid not null,
  position int not null,
  level text not null,
  primary key (workspace_id, list_id, workspace_member_id),
  foreign key (workspace_id, list_id) references relata.lists(workspace_id, id) on delete cascade,
  foreign key (workspace_id, workspace_member_id) references relata.workspace_members(workspace_id, id) deferrable initially deferred,
  check ((level = any (array['full-access'::text, 'read-and-write'::text, 'read-only'::text])))
);

create table relata.lists (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  parent_object_id uuid not null,
  workspace_access text,
  created_by int not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, id) references relata.owners(workspace_id, id) on delete cascade,
  foreign key (workspace_id, parent_object_id) references relata.objects(workspace_id, id) deferrable initially deferred,
  check ((workspace_access = any (array['full-access'::text, 'read-and-write'::text, 'read-only'::text])))
);

create table relata.migrations (
  name text not null,
  applied_at timestamptz not null default now(),
  primary key (name)
);

create table relata.objects (
  workspace_id uuid not null,
  id uuid not null,
  singular_noun text not null,
  plural_noun text not null,
  standard_slug text,
  is_enabled boolean not null default true,
  primary key (workspace_id, id),
  unique (workspace_id, plural_noun),
  unique (workspace_id, singular_noun),
  foreign key (workspace_id, id) references relata.owners(workspace_id, id) on delete cascade
);

create table relata.options (
  workspace_id uuid not null,
  attribute_id uuid not null,
  id uuid not null,
  number int not null,
  position int not null,
  title text not null,
  is_archived boolean not null default false,
  celebration_enabled boolean not null default false,
  target_time_in_status text,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, number),
  foreign key (workspace_id, attribute_id) references relata.attributes(workspace_id, id) on delete cascade
);
create unique index options_title on relata.options using btree (workspace_id, attribute_id, lower(title));

create table relata.owners (
  workspace_id uuid not null,
  id uuid not null,
  number int not null,
  kind text not null,
  api_slug text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, kind, api_slug),
  unique (workspace_id, number),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((kind = any (array['object'::text, 'list'::text])))
);

create table relata.query_scores (
  workspace_id uuid not null,
  slot bigint not null,
  score int not null,
  primary key (workspace_id, slot)
);

create table relata.tokens (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  token_hash bytea not null,
  hint text not null,
  scopes text[] not null,
  client_id uuid not null,
  actor int not null,
  authorized_by_workspace_member_id uuid not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (workspace_id, id),
  unique (token_hash),
  foreign key (workspace_id, actor) references relata.actors(workspace_id, number),
  foreign key (workspace_id, authorized_by_workspace_member_id) references relata.workspace_members(workspace_id, id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade
);

create table relata.views (
  workspace_id uuid not null,
  owner_id uuid not null,
  id uuid not null,
  title text not null,
  type text not null,
  filter jsonb not null,
  sorts jsonb not null,
  visible_attributes jsonb,
  is_archived boolean not null default false,
  created_at timestamptz not null,
  primary key (workspace_id, owner_id, id),
  foreign key (workspace_id, owner_id) references relata.owners(workspace_id, id) on delete cascade,
  check ((type = any (array['table'::text, 'board'::text])))
);

create table relata.workspace_members (
  workspace_id uuid not null,
  id uuid not null,
  account_id uuid,
  first_name text not null,
  last_name text not null,
  email_address text not null,
  avatar_url text,
  access_level text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (account_id) references relata.accounts(id),
  foreign key (workspace_id) references relata.workspaces(id) on delete cascade,
  check ((access_level = any (array['admin'::text, 'member'::text, 'suspended'::text])))
);
create unique index workspace_members_email_address on relata.workspace_members using btree (workspace_id, lower(email_address));

create table relata.workspaces (
  id uuid not null,
  number int not null generated always as identity,
  slug text not null,
  name text not null,
  logo_url text,
  data_model_version int not null default 1,
  last_number int not null default 0,
  secret uuid not null default gen_random_uuid(),
  shows_updated_at boolean not null default false,
  created_at timestamptz not null,
  primary key (id),
  unique (number),
  unique (slug)
);

-- The data model of a workspace. The tables in its schema w_<number> are derived from these rows.

-- An object or a list. Its entities are in table o_<number> or l_<number>.
-- Its constraints have an earlier name of the table, which installed databases have.
create table relata.entity_types (
  workspace_id uuid not null constraint owners_workspace_id_fkey references relata.workspaces on delete cascade,
  id uuid not null,
  number int not null,
  kind text not null constraint owners_kind_check check (kind in ('object', 'list')),
  api_slug text not null,
  created_at timestamptz not null,
  constraint owners_pkey primary key (workspace_id, id),
  constraint owners_workspace_id_number_key unique (workspace_id, number),
  constraint owners_workspace_id_kind_api_slug_key unique (workspace_id, kind, api_slug)
);

create table relata.objects (
  workspace_id uuid not null,
  id uuid not null,
  singular_noun text not null,
  plural_noun text not null,
  -- Which of the standard objects this is, also with other nouns; null for a custom one.
  standard_slug text,
  is_enabled boolean not null default true,
  -- The access of members. Admins have all access, and teams may have another one in `object_teams`.
  member_access text not null default 'read-write' check (member_access in ('read-write', 'read-only', 'hidden')),
  primary key (workspace_id, id),
  foreign key (workspace_id, id) references relata.entity_types on delete cascade,
  unique (workspace_id, singular_noun),
  unique (workspace_id, plural_noun)
);

-- The access that members of a team have instead of `objects.member_access`.
create table relata.object_teams (
  workspace_id uuid not null,
  object_id uuid not null,
  team_id uuid not null,
  access text not null check (access in ('read-write', 'read-only', 'hidden')),
  primary key (workspace_id, object_id, team_id),
  foreign key (workspace_id, object_id) references relata.objects (workspace_id, id) on delete cascade,
  foreign key (workspace_id, team_id) references relata.teams (workspace_id, id) on delete cascade
);

create index object_teams_team on relata.object_teams (workspace_id, team_id);

create table relata.attributes (
  workspace_id uuid not null,
  entity_type_id uuid not null,
  id uuid not null,
  -- Names its columns, a_<number>_<member>.
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
  -- {"currency": {…}} or {"record_reference": {"allowed_object_ids": […]}}; {} for types without configuration.
  config jsonb not null default '{}',
  -- Where its values are: in columns of their own, in the entity's own columns (id, created_at, …), or with the partner of its
  -- relationship.
  stored_in text not null default 'columns' check (stored_in in ('columns', 'entity', 'partner')),
  relationship_attribute_id uuid,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, number),
  constraint attributes_workspace_id_owner_id_api_slug_key unique (workspace_id, entity_type_id, api_slug),
  constraint attributes_workspace_id_owner_id_fkey foreign key (workspace_id, entity_type_id) references relata.entity_types on delete cascade,
  foreign key (workspace_id, relationship_attribute_id) references relata.attributes
    deferrable initially deferred
);

-- The choices of select attributes, and the statuses of status attributes.
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
  -- Without a color, the console derives one from the id.
  color text check (color in ('indigo', 'green', 'orange', 'pink', 'blue', 'purple', 'gray')),
  primary key (workspace_id, id),
  unique (workspace_id, number),
  foreign key (workspace_id, attribute_id) references relata.attributes on delete cascade
);

create unique index options_title on relata.options (workspace_id, attribute_id, lower(title));

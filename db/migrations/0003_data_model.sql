-- What a workspace's data looks like. The tables in its schema w_<number> are derived from these rows.

-- An owner is what owns attributes: an object or a list. Its holders live in table o_<number> or l_<number>.
create table relata.owners (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  number int not null,
  kind text not null check (kind in ('object', 'list')),
  api_slug text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, number),
  unique (workspace_id, kind, api_slug)
);

create table relata.objects (
  workspace_id uuid not null,
  id uuid not null,
  singular_noun text not null,
  plural_noun text not null,
  -- Which of the five standard objects this is, whatever its nouns have become; null for custom ones.
  standard_slug text,
  is_enabled boolean not null default true,
  primary key (workspace_id, id),
  foreign key (workspace_id, id) references relata.owners on delete cascade,
  unique (workspace_id, singular_noun),
  unique (workspace_id, plural_noun)
);

create table relata.attributes (
  workspace_id uuid not null,
  owner_id uuid not null,
  id uuid not null,
  -- Names the columns, a_<number>_<member>.
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
  -- Where its values are: its own columns, the holder's own (id, created_at, …), or the partner of its relationship.
  stored_in text not null default 'columns' check (stored_in in ('columns', 'holder', 'partner')),
  relationship_attribute_id uuid,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, number),
  unique (workspace_id, owner_id, api_slug),
  foreign key (workspace_id, owner_id) references relata.owners on delete cascade,
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
  primary key (workspace_id, id),
  unique (workspace_id, number),
  foreign key (workspace_id, attribute_id) references relata.attributes on delete cascade
);

create unique index options_title on relata.options (workspace_id, attribute_id, lower(title));

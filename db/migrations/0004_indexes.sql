-- Indexes of workspace tables that follow use: which ones queries wished for, and what became of them.
-- See docs/decisions/indexes.md.

-- All texts of a multiselect as one, for an index over what they contain.
create function relata.joined_text(texts text[]) returns text
  language sql immutable strict parallel safe
  as $$ select array_to_string(texts, E'\n') $$;

create table relata.indexes (
  workspace_id uuid not null,
  owner_id uuid not null,
  -- Null where it serves more than one attribute, or one that has no row.
  attribute_id uuid,
  -- Of the index itself, in the workspace's schema.
  name text not null,
  kind text not null check (kind in ('ordered', 'descending', 'exact', 'elements', 'trigram', 'search')),
  -- What follows `create index … on <table>`.
  definition text not null,
  state text not null default 'wanted' check (state in ('wanted', 'building', 'ready', 'failed', 'refused')),
  -- Somebody asked for it, so it stays however seldom it is used.
  is_pinned boolean not null default false,
  -- How many queries would have used it.
  wishes int not null default 0,
  first_wished_at timestamptz not null,
  last_wished_at timestamptz not null,
  failures int not null default 0,
  -- Not before this is building it tried again.
  retry_at timestamptz,
  error text,
  built_at timestamptz,
  build_ms int,
  -- PostgreSQL's count of uses when it was last looked at, and when it was last seen to have changed.
  scans bigint not null default 0,
  last_used_at timestamptz,
  primary key (workspace_id, name),
  foreign key (workspace_id, owner_id) references relata.owners on delete cascade,
  foreign key (workspace_id, attribute_id) references relata.attributes on delete cascade
);

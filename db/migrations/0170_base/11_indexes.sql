-- Indexes of workspace tables, which the index advisor builds for the queries that request them. See docs/decisions/indexes.md.

-- All texts of a multiselect as one, for a trigram index.
create function relata.joined_text(texts text[]) returns text
  language sql immutable strict parallel safe
  as $$ select array_to_string(texts, E'\n') $$;

-- The hashes of several texts, for conditions that an index over the hashes of texts serves. See docs/decisions/indexes.md.
create function relata.text_hashes(texts text[]) returns bigint[]
  language sql immutable strict parallel safe
  as $$ select array(select hashtextextended(each.text, 0) from unnest(texts) as each(text)) $$;

create table relata.indexes (
  workspace_id uuid not null,
  entity_type_id uuid not null,
  -- Null for an index over several attributes, or over one that has no row.
  attribute_id uuid,
  -- The name of the index in the schema of the workspace.
  name text not null,
  kind text not null check (kind in
    ('ordered', 'descending', 'exact', 'elements', 'trigram', 'search', 'composite', 'partial')),
  -- The rest of the statement after `create index … on <table>`.
  definition text not null,
  state text not null default 'wanted' check (state in ('wanted', 'building', 'ready', 'failed', 'refused')),
  -- A pinned index is not dropped when it is unused.
  is_pinned boolean not null default false,
  -- How many queries would have used the index.
  requests int not null default 0,
  first_requested_at timestamptz not null,
  last_requested_at timestamptz not null,
  failures int not null default 0,
  -- When it is built again after a failure, at the earliest.
  retry_at timestamptz,
  error text,
  built_at timestamptz,
  build_ms int,
  -- PostgreSQL's count of its scans at the last check, and when a check last found a different count.
  scans bigint not null default 0,
  last_used_at timestamptz,
  -- Shapes of the queries that requested the index, without their operands.
  requested_by text[] not null default '{}',
  -- The attributes of an index over several columns. `attribute_id` is then null.
  attribute_ids uuid[] not null default '{}',
  -- The columns that the queries compare for equality.
  equal_columns text[] not null default '{}',
  -- The composite index of the same queries, for a partial index.
  partial_of text,
  -- When the planner's estimate for the equal columns was last compared with a sample of the rows.
  estimate_checked_at timestamptz,
  primary key (workspace_id, name),
  constraint indexes_workspace_id_owner_id_fkey foreign key (workspace_id, entity_type_id) references relata.entity_types on delete cascade,
  foreign key (workspace_id, attribute_id) references relata.attributes on delete cascade
);

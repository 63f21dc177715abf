-- Indexes over several columns, and the queries that requested each index.
alter table relata.indexes
  drop constraint indexes_kind_check,
  add constraint indexes_kind_check check (kind in
    ('ordered', 'descending', 'exact', 'elements', 'trigram', 'search', 'composite', 'partial')),
  -- Shapes of queries, without their operands.
  add column requested_by text[] not null default '{}',
  -- The attributes of an index over several columns. `attribute_id` is then null.
  add column attribute_ids uuid[] not null default '{}',
  -- The columns that the queries compare for equality.
  add column equal_columns text[] not null default '{}',
  -- The composite index of the same queries, for a partial index.
  add column partial_of text,
  -- When the planner's estimate for the equal columns was last compared with a sample of the rows.
  add column estimate_checked_at timestamptz;

-- Saved ways to look at the records of an object or the entries of a list.

create table relata.views (
  workspace_id uuid not null,
  owner_id uuid not null,
  id uuid not null,
  title text not null,
  type text not null check (type in ('table', 'board')),
  -- As in the body of a query, with attributes by id.
  filter jsonb not null,
  sorts jsonb not null,
  -- Ids of attributes, in order; null for all there are.
  visible_attributes jsonb,
  is_archived boolean not null default false,
  created_at timestamptz not null,
  primary key (workspace_id, owner_id, id),
  foreign key (workspace_id, owner_id) references relata.owners on delete cascade
);

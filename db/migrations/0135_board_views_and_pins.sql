-- Boards as views, personal views, and the views that members pin to their navigation.

alter table relata.views
  -- {"attribute": id, "sum_attribute": id or null} of a board; null for a table.
  add column board jsonb,
  -- The member who alone sees a personal view; null for a shared one.
  add column member_id uuid,
  add foreign key (workspace_id, member_id) references relata.workspace_members on delete cascade;

create table relata.view_pins (
  workspace_id uuid not null,
  member_id uuid not null,
  entity_type_id uuid not null,
  view_id uuid not null,
  created_at timestamptz not null,
  primary key (workspace_id, member_id, view_id),
  foreign key (workspace_id, member_id) references relata.workspace_members on delete cascade,
  foreign key (workspace_id, entity_type_id, view_id) references relata.views on delete cascade
);
create index view_pins_view on relata.view_pins (workspace_id, entity_type_id, view_id);

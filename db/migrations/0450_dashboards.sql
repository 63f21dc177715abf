-- Dashboards, and the charts on them. See docs/reference/dashboards.md.

create table relata.dashboards (
  workspace_id uuid not null references relata.all_workspaces on delete cascade,
  id uuid not null,
  title text not null,
  -- In the form of the API, with objects, lists and attributes by id.
  charts jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The member who alone sees a personal dashboard; null for a shared one.
  member_id uuid,
  primary key (workspace_id, id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

create index dashboards_member on relata.dashboards (workspace_id, member_id);

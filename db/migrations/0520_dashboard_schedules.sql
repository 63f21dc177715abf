-- Emails of dashboards at fixed times. See docs/reference/dashboards.md (Emails).

create table relata.dashboard_schedules (
  workspace_id uuid not null,
  id uuid not null,
  dashboard_id uuid not null,
  -- Who gets the emails.
  member_id uuid not null,
  frequency text not null check (frequency in ('daily', 'weekly', 'monthly')),
  -- 1 is Monday. Of weekly emails only.
  weekday smallint check (weekday between 1 and 7),
  -- Of monthly emails only. The last day of a shorter month.
  day smallint check (day between 1 and 31),
  hour smallint not null check (hour between 0 and 23),
  time_zone text not null,
  -- What all charts are filtered by, in the form of the API.
  period text,
  owner text,
  created_at timestamptz not null,
  last_sent_at timestamptz,
  -- A queue: when the next email is due; null while the schedule is paused.
  due_at timestamptz,
  attempts int not null default 0,
  leased_by uuid,
  worker text,
  primary key (workspace_id, id),
  foreign key (workspace_id, dashboard_id) references relata.dashboards on delete cascade,
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

create index dashboard_schedules_dashboard on relata.dashboard_schedules (workspace_id, dashboard_id, id);
create index dashboard_schedules_member on relata.dashboard_schedules (workspace_id, member_id);
create index dashboard_schedules_due on relata.dashboard_schedules (due_at) where due_at is not null;
create index dashboard_schedules_worker on relata.dashboard_schedules (worker) where worker is not null;

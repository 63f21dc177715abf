-- The scheduled backups of the service: a queue with one row, see docs/decisions/backups.md.
create table relata.backup_schedule (
  -- Every queue has the column. The work is of no workspace.
  workspace_id uuid primary key default '00000000-0000-0000-0000-000000000000'
    check (workspace_id = '00000000-0000-0000-0000-000000000000'),
  due_at timestamptz,
  attempts int not null default 0,
  leased_by uuid,
  worker text,
  -- The setting that the row is of, and since when.
  place text not null,
  since timestamptz not null,
  -- The newest backup that ended: when it began, how long it took, and the bytes of its tables and files.
  succeeded_at timestamptz,
  seconds double precision,
  bytes bigint,
  -- Those that failed, also since the newest one that ended.
  failures bigint not null default 0,
  failures_in_a_row int not null default 0,
  -- The next attempt to send emails about missing backups, and when they were sent since the newest backup.
  alert_due_at timestamptz,
  alert_attempts int not null default 0,
  alerted_at timestamptz
);

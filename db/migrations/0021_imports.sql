-- CSV files that are imported at the console: the file, where its columns go, how far it is, and what was left out.

create table relata.imports (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  object_id uuid not null,
  -- The member who brought it, and as whom its values are written.
  created_by uuid not null,
  file_name text not null,
  file_size bigint not null default 0,
  -- What separates its cells; null until the file is there whole.
  delimiter text,
  -- Its columns, with some values of each and where each might go.
  columns jsonb,
  state text not null check (state in ('uploading', 'ready', 'waiting', 'running', 'finished', 'cancelled', 'failed')),
  -- What was asked for; null until it was.
  plan jsonb,
  -- What became of the rows so far.
  counts jsonb,
  -- So much of the file was read.
  bytes_read bigint not null default 0,
  -- How many rows and values were left out.
  problems int not null default 0,
  -- Why it could not go on.
  failure text,
  is_cancelled boolean not null default false,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  -- The process that runs it, until when unless it says so again.
  leased_by uuid,
  leased_until timestamptz,
  primary key (workspace_id, id)
);

create index imports_due on relata.imports (created_at) where state in ('waiting', 'running');
create index imports_of_object on relata.imports (workspace_id, object_id, created_at desc);

-- The file, in pieces of which one is in memory at a time; gone when the import has ended.
create table relata.import_pieces (
  workspace_id uuid not null,
  import_id uuid not null,
  number int not null,
  bytes bytea not null,
  primary key (workspace_id, import_id, number),
  foreign key (workspace_id, import_id) references relata.imports on delete cascade
);

create table relata.import_problems (
  workspace_id uuid not null,
  import_id uuid not null,
  number int not null,
  -- Where the row begins in the file.
  line int not null,
  outcome text not null check (outcome in ('skipped', 'left out')),
  column_name text not null,
  value text not null,
  reason text not null,
  primary key (workspace_id, import_id, number),
  foreign key (workspace_id, import_id) references relata.imports on delete cascade
);

-- Imports of files at the console.

-- CSV files: where their columns go, how far each import is, and with which result.
create table relata.imports (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  object_id uuid not null,
  -- The member who uploaded the file and whose access the import has.
  created_by uuid not null,
  file_name text not null,
  file_size bigint not null default 0,
  -- The separator of its cells; null until the file is complete.
  delimiter text,
  -- Its columns, with some values of each and the attribute that is proposed for it.
  columns jsonb,
  state text not null check (state in ('uploading', 'ready', 'waiting', 'running', 'finished', 'cancelled', 'failed')),
  -- What the member chose; null before the import begins.
  plan jsonb,
  -- How many rows had which outcome so far.
  counts jsonb,
  -- How much of the file was read.
  bytes_read bigint not null default 0,
  -- How many rows and values were left out.
  problems int not null default 0,
  -- Why it failed.
  failure text,
  is_cancelled boolean not null default false,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  -- The lease: the process that runs it, and until when.
  leased_by uuid,
  leased_until timestamptz,
  -- The last job that undid the import. The job is deleted before or after the import.
  undo_job_id uuid,
  -- Whether its writes are stored, so that it can be undone.
  is_recorded boolean not null default false,
  -- The process that has the lease.
  worker text,
  primary key (workspace_id, id)
);

create index imports_due on relata.imports (created_at) where state in ('waiting', 'running');
create index imports_of_object on relata.imports (workspace_id, object_id, created_at desc);

-- The file, in pieces of which one is in memory at a time. They are deleted when the import has ended.
create table relata.import_pieces (
  workspace_id uuid not null,
  import_id uuid not null,
  number int not null,
  bytes bytea not null,
  primary key (workspace_id, import_id, number),
  foreign key (workspace_id, import_id) references relata.imports on delete cascade
);

-- The rows and values that an import left out.
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

-- The imports of email and calendar files at the console that run: one at a time for each member.
create table relata.file_import_leases (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  member_id uuid not null,
  leased_by uuid not null,
  leased_until timestamptz not null,
  worker text,
  primary key (workspace_id, member_id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

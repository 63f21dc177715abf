-- The imports of email and calendar files at the console that run: one at a time for each member.
create table relata.file_import_leases (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  member_id uuid not null,
  leased_by uuid not null,
  leased_until timestamptz not null,
  primary key (workspace_id, member_id),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

-- Credentials of API clients. Only hashes are kept; `hint` is the end of the token, to recognise it by.

create table relata.tokens (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  name text not null,
  token_hash bytea not null unique,
  hint text not null,
  scopes text[] not null,
  client_id uuid not null,
  actor int not null,
  authorized_by_workspace_member_id uuid not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, authorized_by_workspace_member_id) references relata.workspace_members,
  foreign key (workspace_id, actor) references relata.actors
);

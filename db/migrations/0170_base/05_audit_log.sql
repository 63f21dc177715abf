-- The audit log of workspaces and accounts.

create function relata.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'Nothing in % is ever changed or removed.', tg_table_name;
end
$$;

-- Append-only. `workspace_id` is null for actions on an account that is no member of any workspace.
create table relata.audit_log (
  id uuid primary key,
  workspace_id uuid references relata.workspaces,
  account_id uuid,
  action text not null,
  actor_type text,
  actor_id text,
  subject_type text not null,
  subject_id text,
  subject_name text,
  details jsonb not null,
  address text,
  created_at timestamptz not null
);

create index audit_log_workspace on relata.audit_log (workspace_id, created_at, id);
create index audit_log_action on relata.audit_log (workspace_id, action, created_at, id);
create index audit_log_account on relata.audit_log (account_id, created_at) where account_id is not null;

create trigger audit_log_append_only before update or delete or truncate on relata.audit_log
  for each statement execute function relata.refuse_change();

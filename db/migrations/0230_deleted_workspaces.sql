-- The table of workspaces becomes `all_workspaces`, and `workspaces` the view of those that are not deleted. So a statement finds a
-- deleted workspace only when it names the table. See docs/decisions/workspace-deletion.md.

alter table relata.workspaces rename to all_workspaces;
alter table relata.all_workspaces add column deleted_at timestamptz;

create view relata.workspaces as select * from relata.all_workspaces where deleted_at is null;

-- The removal of each deleted workspace: a queue, whose work is due when the workspace cannot be restored any more.
create table relata.workspace_removals (
  workspace_id uuid primary key references relata.all_workspaces on delete cascade,
  -- When the removal began. From then on, the workspace cannot be restored.
  begun_at timestamptz,
  due_at timestamptz,
  attempts int not null default 0,
  leased_by uuid,
  worker text
);

-- The audit log of a workspace is removed with the workspace. No other entry is removed.
create function relata.check_audit_log_deletion() returns trigger language plpgsql as $$
begin
  if not exists (select from relata.workspace_removals r where r.workspace_id = old.workspace_id and r.begun_at is not null) then
    raise exception 'Nothing in % is ever changed or removed.', tg_table_name;
  end if;
  return old;
end
$$;

drop trigger audit_log_append_only on relata.audit_log;
create trigger audit_log_append_only before truncate on relata.audit_log
  for each statement execute function relata.refuse_change();
create trigger audit_log_deletion before delete on relata.audit_log
  for each row execute function relata.check_audit_log_deletion();

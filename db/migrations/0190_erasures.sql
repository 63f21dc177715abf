-- Erasures of people that have begun and not ended. `terms` has the addresses, names and record ids, so that an erasure that was
-- interrupted can be repeated after the records are gone. The row is deleted at the end. See docs/decisions/erasure.md.
create table relata.erasures (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  terms jsonb not null,
  -- The regular expression that finds the terms in texts.
  expression text not null,
  begun_at timestamptz not null,
  primary key (workspace_id, id)
);

-- The audit log accepts one change: an erasure that has begun, and that the transaction names, replaces the texts of the person in
-- entries of its workspace, or in those of an account that belong to no workspace.
create function relata.check_audit_log_change() returns trigger language plpgsql as $$
declare
  expected relata.audit_log := old;
  erased text := (
    select e.expression from relata.erasures e
    where e.id = nullif(current_setting('relata.erasure', true), '')::uuid
      and (e.workspace_id = old.workspace_id or old.workspace_id is null));
begin
  expected.actor_id := regexp_replace(old.actor_id, erased, 'Erased person', 'gi');
  expected.subject_id := regexp_replace(old.subject_id, erased, 'Erased person', 'gi');
  expected.subject_name := regexp_replace(old.subject_name, erased, 'Erased person', 'gi');
  expected.details := regexp_replace(old.details::text, erased, 'Erased person', 'gi')::jsonb;
  if erased is null or new is distinct from expected then
    raise exception 'Nothing in % is ever changed or removed.', tg_table_name;
  end if;
  return new;
end
$$;

drop trigger audit_log_append_only on relata.audit_log;
create trigger audit_log_append_only before delete or truncate on relata.audit_log
  for each statement execute function relata.refuse_change();
create trigger audit_log_erasure before update on relata.audit_log
  for each row execute function relata.check_audit_log_change();

-- Erasures of people that have begun and not ended. `terms` has the addresses, names and record ids, so that an erasure that was
-- interrupted can be repeated after the records are gone. The row is deleted at the end. See docs/decisions/erasure.md.
create table relata.erasures (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  id uuid not null,
  terms jsonb not null,
  begun_at timestamptz not null,
  primary key (workspace_id, id)
);

-- The audit log is changed by erasures alone, which replace the address and the name of a person. They announce themselves in their
-- transaction, so that no other statement changes an entry by mistake.
create or replace function relata.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('relata.erases_person', true) = 'on' then
    return null;
  end if;
  raise exception 'Nothing in % is ever changed or removed.', tg_table_name;
end
$$;

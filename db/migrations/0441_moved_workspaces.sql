-- Workspaces that move to another service. See docs/decisions/moves-of-workspaces.md.

-- The address of the other service. A workspace with an address is moving: it can be read, and not written. A deleted one has moved.
alter table relata.all_workspaces add column moved_to text;
create or replace view relata.workspaces as select * from relata.all_workspaces where deleted_at is null;

-- A write that has appended its events holds the lock until it ends, and the beginning of a move waits for it. Later writes are refused.
create function relata.refuse_events_while_moving() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(new.workspace_id::text, 2));
  if exists (select from relata.all_workspaces where id = new.workspace_id and moved_to is not null) then
    raise exception 'The workspace % is moving.', new.workspace_id using errcode = 'cannot_connect_now';
  end if;
  return new;
end
$$;

create trigger outbox_of_moving before insert on relata.outbox
  for each row execute function relata.refuse_events_while_moving();

-- Publishes the workspaces in sixteen groups, by several processes at once. Each group counts its batches.

do $$
begin
  for id in 0..15 loop
    execute format('create sequence relata.published_batches_%s', id);
  end loop;
end
$$;

-- Deletes the oldest writes of outboxes of workspaces, by their numbers in this order, and returns them. After `most_bytes`, it leaves out the
-- outboxes that are left. One statement for each outbox would cost eight times the time.
create function relata.take_outbox_writes(numbers int[], most_rows int, most_bytes int)
returns table (number int, id bigint, occurred_at timestamptz, actor int, events json, size int) language plpgsql as $$
declare
  taken bigint := 0;
begin
  foreach number in array numbers loop
    exit when taken >= most_bytes;
    for id, occurred_at, actor, events, size in execute format(
      'with oldest as (
         delete from w_%s.outbox where id = any(array(select id from w_%s.outbox order by id limit %s))
         returning id, occurred_at, actor, events)
       select *, pg_column_size(events) from oldest order by id', number, number, most_rows)
    loop
      taken := taken + size;
      return next;
    end loop;
  end loop;
end
$$;

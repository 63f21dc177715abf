-- What record queries cost, counted over all processes. Losing it in a crash costs nothing, and a reference to the
-- workspaces would make each count wait for the disk. See docs/decisions/queries.md.

create unlogged table relata.query_scores (
  workspace_id uuid not null,
  -- A half second, by number.
  slot bigint not null,
  score int not null,
  primary key (workspace_id, slot)
);

-- Takes from what a workspace may spend in a window of slots: `wanted`, and up to `ahead` more to come without asking;
-- gives back first what was left of an earlier slot. Answers what was granted, or 0 and the slot from which on there will
-- be room for what was wanted.
create function relata.reserve_query_score(
  workspace uuid, now_slot bigint, slots int, most int, wanted int, ahead int, unspent int, unspent_slot bigint,
  out granted int, out free_slot bigint
) language plpgsql as $$
declare
  spent int;
begin
  perform pg_advisory_xact_lock(hashtextextended('relata query score ' || workspace, 0));
  delete from relata.query_scores s where s.workspace_id = workspace and s.slot <= now_slot - slots;
  update relata.query_scores s set score = s.score - unspent
    where s.workspace_id = workspace and s.slot = unspent_slot and unspent > 0;
  select coalesce(sum(s.score), 0) into spent from relata.query_scores s where s.workspace_id = workspace;
  granted := least(most - spent, wanted + ahead);
  if granted < wanted then
    granted := 0;
    select min(running.slot) + slots into free_slot from (
      select s.slot, sum(s.score) over (order by s.slot) as score
      from relata.query_scores s where s.workspace_id = workspace
    ) running where spent - running.score + wanted <= most;
    return;
  end if;
  insert into relata.query_scores as s (workspace_id, slot, score) values (workspace, now_slot, granted)
  on conflict (workspace_id, slot) do update set score = s.score + excluded.score;
end $$;

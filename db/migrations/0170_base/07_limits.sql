-- Rates, cost of queries, and idempotent requests.

-- The token buckets of callers, for all processes. Losing them in a crash does no harm. See docs/decisions/rate-limits.md.
create unlogged table relata.request_budgets (
  caller text not null,
  kind text not null,
  tokens double precision not null,
  -- Milliseconds since 1970, by the clock that is most ahead.
  filled_at double precision not null,
  primary key (caller, kind)
) with (fillfactor = 50);

-- Takes `wanted` requests from a bucket, or as many as there are, and first returns the `unspent` ones that were taken before. The
-- bucket fills with `per_second` a second and holds no more than that. A batch takes more requests than are in the bucket, so the
-- bucket can be below zero; then no request is granted.
create function relata.reserve_requests(
  of_caller text, of_kind text, now_ms double precision, per_second int, wanted int, unspent int,
  out granted int, out left_over double precision
) language plpgsql as $$
declare
  available double precision;
begin
  insert into relata.request_budgets as b (caller, kind, tokens, filled_at)
  values (of_caller, of_kind, per_second, now_ms)
  on conflict (caller, kind) do update set
    tokens = least(per_second, b.tokens + unspent + per_second * greatest(0, now_ms - b.filled_at) / 1000),
    filled_at = greatest(b.filled_at, now_ms)
  returning b.tokens into available;
  granted := least(greatest(floor(available), 0), wanted);
  left_over := available - granted;
  update relata.request_budgets b set tokens = left_over where b.caller = of_caller and b.kind = of_kind;
end $$;

-- The cost of record queries, for all processes. Losing it in a crash does no harm, and a reference to the workspaces would make
-- each count wait for the disk. See docs/decisions/indexes.md.
create unlogged table relata.query_scores (
  workspace_id uuid not null,
  -- The number of a half second.
  slot bigint not null,
  score int not null,
  primary key (workspace_id, slot)
);

-- Takes `wanted`, and up to `ahead` more in advance, from what a workspace may spend in a window of slots, and first returns what was
-- left of an earlier slot. Returns what was granted, or 0 and the first slot in which `wanted` will be available.
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

-- The answers to requests with an idempotency key, written in the transaction of their effect. See docs/decisions/idempotency.md.
create table relata.idempotent_answers (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  -- SHA-256 of the caller, the key, and the method and the address of the request.
  scope bytea not null,
  -- SHA-256 of the body.
  request bytea not null,
  status int not null,
  headers jsonb not null,
  body text not null,
  answered_at timestamptz not null,
  -- The records whose values the answer may have, so that it is found when one is deleted for good.
  record_ids uuid[] not null default '{}',
  primary key (workspace_id, scope)
);

create index idempotent_answers_answered_at on relata.idempotent_answers (answered_at);
create index idempotent_answers_record_ids on relata.idempotent_answers using gin (record_ids);

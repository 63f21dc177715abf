-- What callers may still ask in this second, counted over all processes. Losing it in a crash costs nothing.
-- See docs/decisions/rate-limits.md.

create unlogged table relata.request_budgets (
  caller text not null,
  kind text not null,
  tokens double precision not null,
  -- Milliseconds since 1970, by the clock of the process that was ahead.
  filled_at double precision not null,
  primary key (caller, kind)
) with (fillfactor = 50);

-- Takes `wanted` requests from a bucket that fills with `per_second` a second and holds no more than that, or as many as
-- there are; gives back first what was left of those taken before. Answers what was granted and what is left over.
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
  granted := least(floor(available), wanted);
  left_over := available - granted;
  update relata.request_budgets b set tokens = left_over where b.caller = of_caller and b.kind = of_kind;
end $$;

-- What was answered to requests with an idempotency key, written in the transaction of their effect.
-- See docs/decisions/idempotency.md.
create table relata.idempotent_answers (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  -- SHA-256 of the caller, the key, and the method and address it came with.
  scope bytea not null,
  -- SHA-256 of what was sent.
  request bytea not null,
  status int not null,
  headers jsonb not null,
  body text not null,
  answered_at timestamptz not null,
  primary key (workspace_id, scope)
);

create index idempotent_answers_answered_at on relata.idempotent_answers (answered_at);

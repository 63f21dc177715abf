-- A batch takes more requests from its bucket than are in it, so the bucket can be below zero. Then no request is granted.
-- Otherwise as in 0012_limits.sql.

create or replace function relata.reserve_requests(
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

-- The function with which a statement of a write undoes itself. Its caller reads again and retries.
-- It is stable, so that PostgreSQL evaluates the condition that calls it before the rows of the statement, and it has a parameter, so
-- that the planner cannot evaluate it.

create function relata.write_conflict(model_version integer) returns boolean
language plpgsql stable parallel unsafe as $$
begin
  raise exception using errcode = '40R01', message = 'The data model or an entity changed after the write was computed.';
end $$;

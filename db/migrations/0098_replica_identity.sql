-- Logical replication, with which Citus moves the tables of a workspace to another node while they are in use, needs to find a row
-- that is changed or deleted. The tables of history and of the model version have no primary key, so all columns identify a row.
do $$
declare
  schema_name text;
begin
  for schema_name in
    select n.nspname from relata.workspaces w join pg_namespace n on n.nspname = 'w_' || w.number
  loop
    execute format('alter table if exists %I.history replica identity full', schema_name);
    execute format('alter table if exists %I.model replica identity full', schema_name);
  end loop;
end
$$;

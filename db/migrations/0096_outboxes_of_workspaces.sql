-- The writes of records and entries use no control table: each workspace has an outbox and its model version in its schema.
-- The events that earlier writes left in relata.outbox are published from there.
do $$
declare
  workspace record;
begin
  for workspace in select 'w_' || number as schema, data_model_version as version from relata.workspaces loop
    execute format('create table %I.outbox (
      id bigint not null generated always as identity,
      occurred_at timestamp with time zone not null,
      actor integer not null,
      events json not null,
      primary key (id)
    ) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_insert_scale_factor=1)',
      workspace.schema);
    execute format('alter table %I.outbox alter column events set storage external', workspace.schema);
    execute format('create table %I.model (version integer not null)', workspace.schema);
    execute format('insert into %I.model (version) values (%s)', workspace.schema, workspace.version);
  end loop;
end
$$;

-- The processes that may have written events to the outbox of a workspace. A process registers before it writes.
create table relata.outbox_writers (
  workspace_id uuid not null,
  -- The application name of the connections of the process.
  process text not null,
  -- Whether the process publishes what it writes. A command does not.
  is_publishing boolean not null,
  -- The process renews its registration before it writes after this time.
  registered_until timestamptz not null,
  primary key (workspace_id, process)
);

/** Stands in for the extension Citus: its functions record their calls, and nothing is distributed. */

import type { Sql } from '#db/connect'

export interface FakeCitus {
  /** The calls so far, the oldest first, and the schemas that were created while Citus would distribute them. */
  calls(): Promise<string[]>
}

const COMMANDS = [
  'create table public.calls (number bigint generated always as identity, call text)',
  // Since Citus 11 this catalogue lists what exists on all nodes.
  'create table public.pg_dist_object (classid oid, objid oid)',
  `create function public.create_distributed_function(function regprocedure) returns void language sql as $$
     insert into public.pg_dist_object values ('pg_proc'::regclass, function);
     insert into public.calls (call) values ('function ' || function::regproc) $$`,
  `create function public.citus_schema_move(id regnamespace, name text, port int) returns void language plpgsql as $$
     begin
       if name = 'unknown' then raise exception 'node unknown:% is not active', port; end if;
       insert into public.calls (call) values (format('move %s to %s port %s', id, name, port));
     end $$`,
  `create function public.record_schema() returns event_trigger language plpgsql as $$
     begin
       if current_setting('citus.enable_schema_based_sharding', true) = 'on' then
         insert into public.calls (call)
         select 'schema ' || object_identity from pg_event_trigger_ddl_commands() where object_type = 'schema';
       end if;
     end $$`,
  `create event trigger record_schema on ddl_command_end when tag in ('CREATE SCHEMA')
     execute function public.record_schema()`,
]

/** Also sets the default with which an operator would have Citus distribute every schema. */
export async function installFakeCitus(sql: Sql): Promise<FakeCitus> {
  for (const command of COMMANDS) await sql.unsafe(command)
  await sql`select set_config('citus.enable_schema_based_sharding', 'on', false)`
  await sql`do $$ begin
    execute format('alter database %I set citus.enable_schema_based_sharding = on', current_database());
  end $$`
  return {
    calls: async () => {
      const rows = await sql<{ call: string }[]>`select call from public.calls order by number`
      return rows.map(({ call }) => call)
    },
  }
}

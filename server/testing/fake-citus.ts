/** Stands in for the extension Citus: its functions record their calls, and nothing is distributed. */

import type { Sql } from '#db/connect'

export interface FakeCitus {
  /** The calls so far, the oldest first. */
  calls(): Promise<string[]>
}

const COMMANDS = [
  'create table public.calls (number bigint generated always as identity, call text)',
  // Since Citus 11 this catalogue lists what exists on all nodes.
  'create table public.pg_dist_object (classid oid, objid oid)',
  `create function public.create_distributed_function(function regprocedure) returns void language sql as $$
     insert into public.pg_dist_object values ('pg_proc'::regclass, function);
     insert into public.calls (call) values ('function ' || function::regproc) $$`,
  'create table public.pg_dist_schema (schemaid oid)',
  'create table public.pg_dist_partition (logicalrelid oid)',
  `create function public.citus_schema_distribute(id regnamespace) returns void language plpgsql as $$
     begin
       insert into public.pg_dist_schema values (id);
       insert into public.pg_dist_partition select oid from pg_class where relnamespace = id and relkind = 'r';
       insert into public.calls (call) values ('schema ' || id);
     end $$`,
  `create function public.create_distributed_table(id regclass, key text, colocate_with text) returns void
     language plpgsql as $$
     begin
       insert into public.pg_dist_partition values (id);
       insert into public.calls (call) values (format('table %s beside %s', id, colocate_with));
     end $$`,
  `create function public.citus_schema_move(id regnamespace, name text, port int) returns void language plpgsql as $$
     begin
       if name = 'unknown' then raise exception 'node unknown:% is not active', port; end if;
       insert into public.calls (call) values (format('move %s to %s port %s', id, name, port));
     end $$`,
]

export async function installFakeCitus(sql: Sql): Promise<FakeCitus> {
  for (const command of COMMANDS) await sql.unsafe(command)
  return {
    calls: async () => {
      const rows = await sql<{ call: string }[]>`select call from public.calls order by number`
      return rows.map(({ call }) => call)
    },
  }
}

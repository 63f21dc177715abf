/**
 * Reads the definitions of everything Relata keeps in a database, as statements that make the same in an empty one: schemas, types,
 * functions, tables with partitions, constraints, indexes, triggers, views and sequences. Names are qualified, because the caller's search
 * path is empty. Roles and grants are left out: the service makes them when it needs them.
 */

import { type Static, Type } from 'typebox'
import type { Transaction } from '../connect'

const Texts = Type.Array(Type.String())

const TableSchema = Type.Object({
  schema: Type.String(),
  /** Qualified for SQL. */
  name: Type.String(),
  /** The columns whose values are copied, quoted for SQL; none for a table without rows of its own. */
  columns: Texts,
  /** Run in order before rows are inserted. */
  create: Texts,
  /** Run after the rows are there: constraints, indexes, triggers. */
  complete: Texts,
})
/** A table, with the statements that make it. */
export type TableDefinition = Static<typeof TableSchema>

export const DefinitionSchema = Type.Object({
  schemas: Texts,
  /** Make extensions, types, functions and sequences, in order. */
  shared: Texts,
  /** A partitioned table stands before its partitions. */
  tables: Type.Array(TableSchema),
  /** Attach the indexes of partitions to those of their tables. */
  attachments: Texts,
  /** What needs several tables: foreign keys, which also need their rows, and views. */
  references: Texts,
})
export type DatabaseDefinition = Static<typeof DefinitionSchema>

export const SequenceSchema = Type.Object({
  /** Qualified for SQL. */
  name: Type.String(),
  last_value: Type.String(),
  is_called: Type.Boolean(),
})
/** A sequence and where it stands. */
export type SequencePosition = Static<typeof SequenceSchema>

/** The schemas of Relata: of the control tables, of SQL, and of each workspace. */
const OWN_SCHEMAS = String.raw`nspname ~ '^(relata|relata_\w+|w_\d+)$'`

/** The names of all schemas and tables that a backup reads, to lock them. */
export async function listTables(tx: Transaction): Promise<string[]> {
  const rows = await tx.unsafe<{ name: string }[]>(`
    select format('%I.%I', n.nspname, c.relname) as name from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.${OWN_SCHEMAS} and c.relkind in ('r', 'p') order by c.oid`)
  return rows.map(({ name }) => name)
}

/** The schemas that exist in a database. An empty one has none. */
export async function listSchemas(tx: Transaction): Promise<string[]> {
  const rows = await tx.unsafe<{ name: string }[]>(
    `select nspname as name from pg_catalog.pg_namespace where ${OWN_SCHEMAS} order by oid`,
  )
  return rows.map(({ name }) => name)
}

/** Reads all definitions. The search path of the transaction must be empty. */
export async function readDefinitions(tx: Transaction): Promise<DatabaseDefinition> {
  const texts = async (statement: string) => (await tx.unsafe<{ sql: string }[]>(statement)).map(({ sql }) => sql)
  return {
    schemas: await listSchemas(tx),
    shared: [
      ...(await texts(EXTENSIONS)),
      ...(await texts(TYPES)),
      ...(await texts(FUNCTIONS)),
      ...(await texts(SEQUENCES)),
    ],
    tables: await readTables(tx),
    attachments: await texts(ATTACHED_INDEXES),
    references: [...(await texts(FOREIGN_KEYS)), ...(await texts(VIEWS))],
  }
}

/** Reads where the sequences stand. Read after the rows, so that no number of a row is given again. */
export async function readSequences(tx: Transaction): Promise<SequencePosition[]> {
  const sequences = await tx.unsafe<{ name: string }[]>(`
    select format('%I.%I', n.nspname, c.relname) as name from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.${OWN_SCHEMAS} and c.relkind = 'S' order by 1`)
  const positions: SequencePosition[] = []
  for (const { name } of sequences) {
    const [row] = await tx.unsafe<[Omit<SequencePosition, 'name'>]>(`select last_value, is_called from ${name}`)
    positions.push({ name, ...row })
  }
  return positions
}

/** Indexes for parts of words need `pg_trgm`. The name of its schema is in their definitions. */
const EXTENSIONS = `
  select format('create extension if not exists %I with schema %I', x.extname, n.nspname) as sql
  from pg_catalog.pg_extension x join pg_catalog.pg_namespace n on n.oid = x.extnamespace where x.extname = 'pg_trgm'`

const TYPES = `
  select format('create type %I.%I as (%s)', n.nspname, c.relname,
    (select string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' order by attnum)
     from pg_catalog.pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped)) as sql
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.${OWN_SCHEMAS} and c.relkind = 'c' order by c.oid`

const FUNCTIONS = `
  select pg_get_functiondef(p.oid) as sql
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where n.${OWN_SCHEMAS} and p.prokind in ('f', 'p') order by p.oid`

/** Each index of a partition belongs to one of the partitioned table. */
const ATTACHED_INDEXES = `
  select format('alter index %s attach partition %s', i.inhparent::regclass, i.inhrelid::regclass) as sql
  from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.${OWN_SCHEMAS} and c.relkind in ('i', 'I') order by i.inhrelid`

const FOREIGN_KEYS = `
  select format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as sql
  from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.${OWN_SCHEMAS} and k.contype = 'f' and k.conparentid = 0 order by k.oid`

const VIEWS = `
  select format('create view %I.%I as %s', n.nspname, c.relname, pg_get_viewdef(c.oid)) as sql
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.${OWN_SCHEMAS} and c.relkind = 'v' order by c.oid`

async function readTables(tx: Transaction): Promise<TableDefinition[]> {
  const rows = await tx.unsafe<TableDefinition[]>(TABLES)
  return rows.map(({ schema, name, columns, create, complete }) => ({ schema, name, columns, create, complete }))
}

/** The column of a `create table` statement. */
const COLUMN = `
  format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod))
  || case when a.attcollation <> t.typcollation
       then (select format(' collate %I.%I', cn.nspname, co.collname) from pg_catalog.pg_collation co
             join pg_catalog.pg_namespace cn on cn.oid = co.collnamespace where co.oid = a.attcollation) else '' end
  || case when a.attgenerated = 's' then format(' generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
          when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end
  || case when a.attnotnull then ' not null' else '' end`

/** What `create table` does not say about a column. */
const COLUMN_SETTINGS = `
  select format('alter table %s alter column %I set storage %s', r.name, a.attname,
      case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end) as sql, a.attnum
  from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
  where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped and a.attstorage <> t.typstorage
  union all
  select format('alter table %s alter column %I set compression %s', r.name, a.attname,
      case a.attcompression when 'l' then 'lz4' else 'pglz' end), a.attnum
  from pg_catalog.pg_attribute a
  where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped and a.attcompression <> ''
  union all
  select format('alter table %s alter column %I set statistics %s', r.name, a.attname, a.attstattarget), a.attnum
  from pg_catalog.pg_attribute a
  where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped and a.attstattarget >= 0
  union all
  select format('alter table %s alter column %I add generated %s as identity (sequence name %s increment by %s minvalue %s maxvalue %s start with %s cache %s%s)',
      r.name, a.attname, case a.attidentity when 'a' then 'always' else 'by default' end, s.seqrelid::regclass,
      s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache, case when s.seqcycle then ' cycle' else '' end), a.attnum
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_depend p on p.refobjid = r.oid and p.refobjsubid = a.attnum and p.deptype = 'i'
    and p.classid = 'pg_catalog.pg_class'::regclass and p.refclassid = 'pg_catalog.pg_class'::regclass
  join pg_catalog.pg_sequence s on s.seqrelid = p.objid
  where a.attrelid = r.oid and a.attidentity <> ''`

/** Sequences that belong to no identity column. */
const SEQUENCES = `
  select format('create sequence %s as %s increment by %s minvalue %s maxvalue %s start with %s cache %s%s', s.seqrelid::regclass,
    format_type(s.seqtypid, null), s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache,
    case when s.seqcycle then ' cycle' else '' end) as sql
  from pg_catalog.pg_sequence s join pg_catalog.pg_class c on c.oid = s.seqrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.${OWN_SCHEMAS} and not exists (
    select from pg_catalog.pg_depend p where p.objid = s.seqrelid and p.deptype = 'i' and p.classid = 'pg_catalog.pg_class'::regclass)
  order by s.seqrelid`

const INDEXES = `
  select pg_get_indexdef(i.indexrelid) as sql, 2 as step, i.indexrelid as oid from pg_catalog.pg_index i
  where i.indrelid = r.oid and (i.indisvalid or r.relkind = 'p')
    and not exists (select from pg_catalog.pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
  union all
  select format('alter index %s alter column %s set statistics %s', i.indexrelid::regclass, a.attnum, a.attstattarget), 3, i.indexrelid
  from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid = i.indexrelid
  where i.indrelid = r.oid and i.indisvalid and a.attstattarget >= 0`

const COMPLETION = `
  select format('alter table only %s add constraint %I %s', r.name, k.conname, pg_get_constraintdef(k.oid)) as sql, 1 as step, k.oid
  from pg_catalog.pg_constraint k where k.conrelid = r.oid and k.contype in ('p', 'u', 'x')
  union all ${INDEXES}
  union all
  select format('alter table %s replica identity %s', r.name, case r.relreplident when 'f' then 'full' else 'nothing' end), 4, r.oid
  where r.relreplident in ('f', 'n')
  union all
  select format('alter table only %s replica identity using index %I', r.name, x.relname), 4, x.oid
  from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid
  where i.indrelid = r.oid and i.indisreplident
  union all
  select pg_get_triggerdef(g.oid), 5, g.oid from pg_catalog.pg_trigger g
  where g.tgrelid = r.oid and not g.tgisinternal and g.tgparentid = 0`

const TABLES = `
  with r as (
    select c.oid, c.relkind, c.relpersistence, c.relispartition, c.relreplident, c.reloptions, c.reltoastrelid, n.nspname as schema,
      format('%I.%I', n.nspname, c.relname) as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.${OWN_SCHEMAS} and c.relkind in ('r', 'p'))
  select r.schema, r.name,
    case when r.relkind = 'p' or r.relpersistence = 'u' then array[]::text[] else coalesce(
      (select array_agg(quote_ident(a.attname) order by a.attnum) from pg_catalog.pg_attribute a
       where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''), '{}') end as columns,
    array_cat(
      array[format('create %stable %s (%s)%s%s', case r.relpersistence when 'u' then 'unlogged ' else '' end, r.name,
        (select string_agg(part, ', ' order by step, place) from (
          select ${COLUMN} as part, 1 as step, a.attnum::bigint as place
          from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
          left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
          union all
          select format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid)), 2, k.oid::bigint
          from pg_catalog.pg_constraint k where k.conrelid = r.oid and k.contype = 'c') parts),
        case r.relkind when 'p' then ' partition by ' || pg_get_partkeydef(r.oid) else '' end,
        coalesce((select ' with (' || string_agg(option, ', ') || ')' from (
          select unnest(r.reloptions) as option
          union all select 'toast.' || unnest(x.reloptions) from pg_catalog.pg_class x where x.oid = r.reltoastrelid) options), ''))],
      coalesce((select array_agg(sql order by attnum, sql) from (${COLUMN_SETTINGS}) settings), '{}')
      || coalesce((select array_agg(format('alter table only %s attach partition %s %s', h.inhparent::regclass, r.name,
           pg_get_expr(x.relpartbound, r.oid))) from pg_catalog.pg_inherits h join pg_catalog.pg_class x on x.oid = h.inhrelid
           where h.inhrelid = r.oid and r.relispartition), '{}')) as create,
    coalesce((select array_agg(sql order by step, oid) from (${COMPLETION}) completion), '{}') as complete
  from r order by r.schema <> 'relata', r.oid`

import { describe, expect, test } from 'bun:test'
import { parseCallerText } from '#engine/sql/compile/parse/parse-text'
import { SqlRefused } from '#engine/sql/compile/source-text'
import { checkTree } from './check-tree'
import { NODE_TYPES } from './names'

/** The refusal as `message | position`, or `accepted`. */
function outcome(text: string, parameterCount = 1): string {
  try {
    const { source, query } = parseCallerText(text)
    checkTree(source, query, parameterCount)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof SqlRefused)) throw error
    return `${error.message} | ${error.position}`
  }
}

describe('accepted', () => {
  test.each([
    'select 1',
    'select',
    'values (1), (2)',
    'table people',
    'select * from objects.people p join lists.sales s on true left join people using (a) natural join b cross join c',
    'select distinct on (a) a, count(*) filter (where b), sum(distinct c) over w from t group by a having true window w as (order by a rows between 1 preceding and current row)',
    'select a union all select b intersect select c except select d order by 1 using < nulls first limit 1 offset 2',
    'select * from t order by a fetch first 3 rows with ties',
    'with recursive a(x) as (select 1 union all select x + 1 from a) search depth first by x set o cycle x set y using z select * from a',
    'with a as materialized (select 1), b as not materialized (select 2) select * from a, b',
    'select * from t, lateral (select t.a) x, generate_series(1, 2) with ordinality as g(n, o), rows from (unnest(a), unnest(b)) r',
    'select * from json_to_recordset($1) as x(a int, b text[])',
    'select case a when 1 then 2 else 3 end, case when a then b end, coalesce(a, b), nullif(a, b), greatest(a), least(a)',
    'select a is null, a isnull, a is not true, a is distinct from b, a between 1 and 2, a not in (1, 2), a = any($1), a > all(array[1, 2])',
    "select a like 'x' escape '!', a ilike 'x', a similar to 'x', a ~ 'x', not a, -a, a::numeric(10, 2), cast(a as text[])",
    "select extract(year from a), a at time zone 'utc', interval '1 day', date '2020-01-01', a::timestamptz(3), current_date, localtimestamp(3)",
    "select overlay(a placing b from 1), substring(a from 1 for 2), substring(a similar 'b' escape '#'), trim(both from a), position(a in b), (a, b) overlaps (c, d)",
    'select (company).entity_instance_id, (company).*, p.tags[1], tags[1:2], (a)[1].first_name, row(1, 2), (1, 2) = (3, 4), array(select 1)',
    'select exists (select 1), (select 1), 1 in (select 1), 1 = any (select 1), array[[1], [2]]',
    'select pg_catalog.lower(a), a operator(pg_catalog.+) b, \'x\' collate "C", make_interval(days => 1), concat(variadic a)',
    'select grouping(a) from t group by grouping sets ((a), (), rollup (a, b), cube (a, b))',
    "select percentile_cont(0.5) within group (order by a), string_agg(a, ',' order by b), format('%s %1$I %%', a), repeat('a', 1000), lpad(a, 10, '0')",
    "select 1.5, 1e3, 0x10, true, null, e'\\n', u&'\\0061', $$a$$, 'a'::char(10), 'a'::varchar(100000)",
  ])('%s', (text) => {
    expect(outcome(text)).toBe('accepted')
  })
})

describe('refused', () => {
  test.each([
    // Statements and clauses
    ['select 1 into x', 'SELECT INTO is not allowed. | null'],
    ['select 1 from t for update', 'Locks of rows are not allowed. | null'],
    ['select (select 1 from t for share)', 'Locks of rows are not allowed. | 8'],
    ['with a as (insert into t values (1) returning *) select 1', 'Only SELECT queries are allowed. | 6'],
    ['with a as (delete from t) select 1', 'Only SELECT queries are allowed. | 6'],
    [
      'with a as (merge into t using s on true when matched then delete returning 1) select 1',
      'Only SELECT queries are allowed. | 6',
    ],
    ['select * from t tablesample system (1)', 'TABLESAMPLE is not supported. | null'],
    ['select * from only t', 'ONLY is not supported. | 20'],
    ['select * from a.b.c', 'Names of tables have at most two parts. | 15'],
    ["select * from xmltable('/a' passing x columns b text)", 'RangeTableFunc is not supported. | null'],
    ["select * from json_table(x, '$' columns (a int path '$'))", 'JsonTable is not supported. | null'],
    ["select xmlparse(document 'x')", 'XmlExpr is not supported. | 8'],
    ["select b'1'", 'Bit strings are not supported. | 8'],
    ['with "objects.1" as (select 1) select 1', 'A common table expression cannot be named "objects.1". | 6'],
    [
      'with "information_schema.tables" as (select 1) select 1',
      'A common table expression cannot be named "information_schema.tables". | 6',
    ],
    ['select $2', 'there is no parameter $2 | 8'],
    ['select $0', 'there is no parameter $0 | 8'],
    // Functions
    ['select pg_sleep(1)', 'function pg_sleep is not available | 8'],
    ['select pg_catalog.pg_sleep(1)', 'function pg_catalog.pg_sleep is not available | 8'],
    ['select "PG_SLEEP"(1)', 'function PG_SLEEP is not available | 8'],
    ['select public.lower(a)', 'function public.lower is not available | 8'],
    ['select x.pg_catalog.lower(a)', 'function x.pg_catalog.lower is not available | 8'],
    ["select set_config('role', 'x', true)", 'function set_config is not available | 8'],
    ["select current_setting('port')", 'function current_setting is not available | 8'],
    ["select query_to_xml('select 1', true, true, '')", 'function query_to_xml is not available | 8'],
    ["select * from pg_ls_dir('.')", 'function pg_ls_dir is not available | 15'],
    ["select * from rows from (pg_read_file('x'))", 'function pg_read_file is not available | 26'],
    ["select lower(pg_read_file('x'))", 'function pg_read_file is not available | 14'],
    ["select 1 order by dblink('x')", 'function dblink is not available | 19'],
    ["select sum(1) over (order by nextval('x'))", 'function nextval is not available | 30'],
    ['select sum(1) filter (where pg_sleep(1) is null)', 'function pg_sleep is not available | 29'],
    ["select string_agg('a', 'b' order by lo_get(1))", 'function lo_get is not available | 37'],
    ['select 1 limit (select version())', 'function version is not available | 24'],
    ['select txid_current() union select 1', 'function txid_current is not available | 8'],
    ['values (pg_backend_pid())', 'function pg_backend_pid is not available | 9'],
    ['select case when pg_cancel_backend(1) then 1 end', 'function pg_cancel_backend is not available | 18'],
    ["select array[has_table_privilege('a', 'b')]", 'function has_table_privilege is not available | 14'],
    ['select 1 from t join s on pg_notify(a, b) is null', 'function pg_notify is not available | 27'],
    [
      'select * from t window w as (partition by inet_server_addr())',
      'function inet_server_addr is not available | 43',
    ],
    ['with a as (select pg_export_snapshot()) select 1', 'function pg_export_snapshot is not available | 19'],
    ['select current_user', 'current_user is not available. | 8'],
    ['select session_user', 'session_user is not available. | 8'],
    ['select current_schema', 'current_schema is not available. | 8'],
    ['select current_catalog', 'current_catalog is not available. | 8'],
    // Functions in the form of a column
    ["select ('x'::text).pg_read_file", 'field "pg_read_file" does not exist | 8'],
    ['select (1).pg_sleep', 'field "pg_sleep" does not exist | 8'],
    ['select (a.b).c[1].pg_sleep', 'field "c" does not exist | 8'],
    ['select ((select 1)).pg_sleep', 'field "pg_sleep" does not exist | 8'],
    // Types, operators and collations
    ["select 'pg_authid'::regclass", 'type "regclass" is not available | 21'],
    ["select cast('x' as regproc)", 'type "regproc" is not available | 20'],
    ["select regclass 'x'", 'type "regclass" is not available | 8'],
    ['select \'x\'::"char"', 'type "char" is not available | 13'],
    ["select 'x'::xml", 'type "xml" is not available | 13'],
    ["select 'x'::relata.tokens", 'type "relata.tokens" is not available | 13'],
    ["select * from json_to_record('{}') as x(a regclass)", 'type "regclass" is not available | 43'],
    ['select a operator(public.+) b', 'Operators of other schemas than pg_catalog are not available. | 10'],
    [
      'select a operator(public.=) any (select 1)',
      'Operators of other schemas than pg_catalog are not available. | 10',
    ],
    [
      'select 1 order by 1 using operator(public.<)',
      'Operators of other schemas than pg_catalog are not available. | 27',
    ],
    ['select a collate public.x', 'The collation does not exist. | 10'],
    // Texts that grow
    ["select repeat('a', 1001)", 'The second argument of repeat must be a number up to 1000. | 8'],
    ["select repeat('a', 1e9::int)", 'The second argument of repeat must be a number up to 1000. | 8'],
    ["select repeat('a', $1)", 'The second argument of repeat must be a number up to 1000. | 8'],
    ["select pg_catalog.rpad('a', (select 5))", 'The second argument of rpad must be a number up to 1000. | 8'],
    [
      "select format('%1000000000s', 1)",
      'The first argument of format must be a text with %s, %I or %L, without widths. | 8',
    ],
    ["select format('%*s', 1)", 'The first argument of format must be a text with %s, %I or %L, without widths. | 8'],
    ['select format(a, 1)', 'The first argument of format must be a text with %s, %I or %L, without widths. | 8'],
    ['select format(variadic a)', 'The first argument of format must be a text with %s, %I or %L, without widths. | 8'],
    ["select 'a'::char(1001)", 'The length of a padded type is at most 1000. | 13'],
    ["select 'a'::varchar(100000000)", 'The length of a type is a number up to 100000. | 13'],
  ])('%s', (text, expected) => {
    expect(outcome(text)).toBe(expected)
  })

  test('a node type or member that the list does not contain', () => {
    const { source } = parseCallerText('select 1')
    const check = (query: object) => () => checkTree(source, query as never, 0) // trees that the parser does not return today
    expect(check({ targetList: [{ NewNode: {} }] })).toThrow('NewNode is not supported.')
    expect(check({ newClause: {} })).toThrow('newClause is not supported.')
    expect(check({ constructor: {} })).toThrow('constructor is not supported.')
    expect(check({ targetList: [{ toString: {} }] })).toThrow('toString is not supported.')
    expect(check({ op: [{ ColumnRef: {} }] })).toThrow('op is not supported.')
    expect(check({ whereClause: 'text' })).toThrow('expression is not supported.')
    expect(check({ whereClause: { ColumnRef: {}, FuncCall: {} } })).toThrow('expression is not supported.')
    expect(check({ targetList: [{ ResTarget: { val: { A_Const: { bsval: {} } } } }] })).toThrow(
      'Bit strings are not supported.',
    )
    expect(Object.keys(NODE_TYPES)).not.toContain('RangeTableSample')
  })
})

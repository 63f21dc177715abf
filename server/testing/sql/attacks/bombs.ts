/** Texts that take the time, the memory or the disk of a server. Each of them ends at a limit. */

const nested = (depth: number, open: string, inside: string, close: string) =>
  open.repeat(depth) + inside + close.repeat(depth)
const many = (count: number, item: (index: number) => string, separator = ', ') =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator)

/** The check refuses them, because they are too long, too deep or too wide, or because a function would make a large value. */
export const REFUSED_BOMBS: Readonly<Record<string, string>> = {
  'a text of 10 MB': `select '${'x'.repeat(10_000_000)}'`,
  'spaces of 10 MB': `select 1${' '.repeat(10_000_000)}`,
  'comments nested 20,000 deep': `select 1 ${nested(20_000, '/*', '', '*/')}`,
  '10,000 parentheses': `select ${nested(10_000, '(', '1', ')')}`,
  '10,000 open parentheses': `select ${'('.repeat(10_000)}`,
  '10,000 subqueries': `select ${nested(10_000, '(select ', '1', ')')}`,
  '5,000 subqueries in from': `${nested(5000, 'select * from (', 'select 1', ') x')}`,
  '10,000 arrays': `select array${nested(10_000, '[', '1', ']')}`,
  '10,000 rows': `select ${nested(10_000, 'row(', '1', ')')}`,
  '10,000 functions': `select ${nested(10_000, 'abs(', '1', ')')}`,
  '5,000 cases': `select ${nested(5000, 'case when true then ', '1', ' end')}`,
  '30,000 times not': `select ${'not '.repeat(24_000)}true`,
  '30,000 signs': `select ${'- '.repeat(30_000)}1`,
  '40,000 additions': `select ${'1+'.repeat(40_000)}1`,
  '15,000 conjunctions': `select 1 where ${'true and '.repeat(10_000)}true`,
  '10,000 casts': `select 1${'::int'.repeat(15_000)}`,
  '10,000 subscripts': `select a${'[1]'.repeat(25_000)} from (select null::int[] as a) x`,
  '20,000 members': `select a${'.b'.repeat(40_000)}`,
  '5,000 unions': many(5000, () => 'select 1', ' union '),
  '5,000 joins': `select 1 from people ${many(5000, () => 'cross join people', ' ')}`,
  '3,000 joins in parentheses': `select 1 from ${nested(3000, '(', 'people p', ' cross join people)')}`,
  '4,000 tables with expressions': `with ${many(3500, (n) => `t${n} as (select 1)`)} select 1`,
  repeat: `select repeat('x', 1000000000)`,
  'repeat of a computed number': `select repeat('x', (select 1000000000))`,
  lpad: `select lpad('x', 1000000000, 'y')`,
  'rpad of a column': `select rpad('x', length(name::text) * 100000000) from people`,
  'the width of a format': `select format('%1000000000s', 'x')`,
  'the width of a format as an argument': `select format('%*s', 1000000000, 'x')`,
  array_fill: `select array_fill(0, array[10000, 10000])`,
}

/** Expressions of doubled size: each level uses the one below it twice. */
const doubled = (levels: number, select: (from: string) => string, last: string) =>
  Array.from({ length: levels }).reduce<string>((from) => select(from), last)

/**
 * In PostgreSQL each of them becomes so large that it takes gigabytes, which no time limit ends. The check refuses them. The same
 * with few levels is harmless.
 */
export const doublingBombs = (levels: number): Readonly<Record<string, string>> => ({
  'doubled expressions': doubled(
    levels,
    (from) => `select a + a as a from (${from}) x`,
    'select n as a from generate_series(1, 2) n',
  ),
  'doubled texts': doubled(
    levels,
    (from) => `select a || a as a from (${from}) x`,
    `select 'xxxx' || n as a from generate_series(1, 2) n`,
  ),
  'doubled arrays': doubled(
    levels,
    (from) => `select array[a, a] as a from (${from}) x`,
    'select n as a from generate_series(1, 2) n',
  ),
  'doubled rows': doubled(
    levels,
    (from) => `select row(a, a) as a from (${from}) x`,
    'select n as a from generate_series(1, 2) n',
  ),
  'doubled cases': doubled(
    levels,
    (from) => `select case when a > 0 then a else -a end as a from (${from}) x`,
    'select n as a from generate_series(1, 2) n',
  ),
  'doubled tables': `with t0 as not materialized (select 1 as n), ${many(levels, (n) => `t${n + 1} as not materialized (select x.n from t${n} x join t${n} y on x.n = y.n)`)} select count(*) from t${levels}`,
  'doubled expressions of tables': `with t0 as (select n as a from generate_series(1, 2) n), ${many(levels, (n) => `t${n + 1} as (select a + a as a from t${n})`)} select a from t${levels}`,
  'doubled by between': `select ${doubled(levels, (from) => `(${from} between 0 and 1)::int`, 'n')} from generate_series(1, 2) n`,
  'doubled by between symmetric': `select ${doubled(levels / 2, (from) => `(${from} between symmetric 0 and 1)::int`, 'n')} from generate_series(1, 2) n`,
  'doubled by in': `select ${doubled(levels, (from) => `(${from} in (n, n + 1))::int`, 'n')} from generate_series(1, 2) n`,
  'doubled by stars': `select ${doubled(levels, (from) => `row((${from}).*)`, 'row(n, n)')} from generate_series(1, 2) n`,
  'doubled by JSON': `select ${doubled(levels, (from) => `json_value(json_object('a': ${from}), '$.a')`, 'n')} from generate_series(1, 2) n`,
  'doubled by conditions': `select 1 from ${doubled(levels, (from) => `(select distinct a + a as a from ${from} x)`, '(select n as a from generate_series(1, 2) n)')} x where a > 0`,
})

/** They run until a limit of time or memory, or are refused. */
export const BOMBS: Readonly<Record<string, string>> = {
  'a recursion without end': `with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t`,
  'a recursion without end that returns rows': `with recursive t(n) as (select 1 union all select n from t) select n from t where n < 0`,
  'a recursion with doubled texts': `with recursive t(s) as (select 'xxxxxxxx' union all select s || s from t) select max(length(s)) from t`,
  'a recursion with doubled arrays': `with recursive t(a) as (select array[1] union all select a || a from t) select max(cardinality(a)) from t`,
  'a recursion with doubled rows': `with recursive t(n) as (select 1 union all select n + g from t, generate_series(1, 2) g) select count(*) from t`,
  'a cross join': `select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b, generate_series(1, 100000) c`,
  'a cross join that returns rows': `select a, b from generate_series(1, 100000) a, generate_series(1, 100000) b where a + b < 0`,
  'a cross join of records': `select count(*) from ${many(12, (n) => `people p${n}`)}, generate_series(1, 1000000000) g`,
  'a series in from': `select * from generate_series(1, 9223372036854775807)`,
  'a series in select': `select generate_series(1, 9223372036854775807)`,
  'two series in select': `select generate_series(1, 1000000007), generate_series(1, 998244353)`,
  'a series of times': `select count(*) from generate_series('0001-01-01'::timestamptz, '9999-01-01', '1 microsecond')`,
  'a sort': `select * from generate_series(1, 300000000) a order by md5(a::text)`,
  'a hash of distinct texts': `select count(distinct md5(a::text)) from generate_series(1, 300000000) a`,
  'a window of each row': `select max(s) from (select sum(a) over (order by a rows between 1000000 preceding and 1000000 following exclude current row) s from generate_series(1, 10000000) a) x`,
  'a large text of rows': `select length(string_agg(md5(a::text), '')) from generate_series(1, 300000000) a`,
  'a large array of rows': `select cardinality(array_agg(a)) from generate_series(1, 300000000) a`,
  'a large JSON of rows': `select jsonb_agg(a) from generate_series(1, 300000000) a`,
  'large rows': `select string_agg(md5(a::text), '') from generate_series(1, 1000000) a, generate_series(1, 100) b group by b`,
  'replaced texts': `select length(replace(replace(replace(replace(s, 'a', s), 'a', s), 'a', s), 'a', s)) from (select '${'a'.repeat(5000)}' as s) x`,
  'replaced by a pattern': `select length(regexp_replace('${'a'.repeat(5000)}', '', '${'b'.repeat(20_000)}', 'g'))`,
  'joined texts': `select length(array_to_string(array_agg(a), '${'x'.repeat(10_000)}')) from generate_series(1, 1000000) a`,
  'a pattern that backtracks': `select '${'a'.repeat(5000)}' ~ '^(a|aa|a?)*(b|ab)$'`,
  'a pattern with references': `select '${'ab'.repeat(2000)}' ~ '^(.*)(.*)(.*)\\1\\2\\3x$'`,
  'a pattern of repeated repeats': `select 'x' ~ '((((x{1,250}){1,250}){1,250}){1,250})'`,
  'a pattern of many words': `select '${'a '.repeat(5000)}' ~ '(\\w+\\s?)*(\\w+\\s?)*(\\w+\\s?)*!'`,
  'like with many signs': `select '${'a'.repeat(10_000)}' like '${'%a'.repeat(2000)}%b'`,
  'a pattern similar to': `select '${'a'.repeat(3000)}' similar to '((a*)*)*b'`,
  'a path with a pattern': `select jsonb_path_exists('"${'a'.repeat(5000)}"', '$ ? (@ like_regex "^(a|aa|a?)*(b|ab)$")')`,
  'a path over all levels': `select jsonb_path_query_array(${"'" + nested(2000, '[', '1', ']') + "'"}, '$.**.**.**')`,
  'a large power': `select 9.9999 ^ 100000.5`,
  'large powers': `select length((9::numeric ^ 130000 * a)::text) from generate_series(1, 100000) a order by 1 desc`,
  'a factorial': `select factorial(32000)`,
  'a logarithm': `select ln(('9' || '${'9'.repeat(50_000)}')::numeric), exp(5000.5::numeric)`,
  'grouping sets': `select count(*) from people group by cube(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)`,
  'grouping sets twice': `select a from generate_series(1, 3) a group by cube(a, a, a, a, a, a), cube(a, a, a, a, a, a)`,
  '200 joins': `select count(*) from people p0 ${many(200, (n) => `join people p${n + 1} on p${n}.record_id = p${n + 1}.record_id`, ' ')}`,
  '1,000 conditions': `select 1 from people where ${many(1000, (n) => `name = '${n}' or record_id is null`, ' or ')}`,
  '10,000 elements': `select 1 from people where 1 in (${many(10_000, String)})`,
  '2,000 columns': `select ${many(2000, String)}`,
  '200 times all columns': `select ${many(200, () => '*')} from people`,
  '300 rows of all columns': `select ${many(300, () => 'people')} from people, generate_series(1, 1000)`,
  'a subquery for each row': `select (select count(*) from generate_series(1, a)) from generate_series(1, 1000000) a`,
}

/**
 * The functions and types that a query may name. Functions read nothing but their arguments: no settings, catalogs, files,
 * sequences or other connections; none runs text as SQL, and none waits. A test compares the list with PostgreSQL's catalog.
 */

const words = (text: string): string[] => text.trim().split(/\s+/)

const AGGREGATES = `any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp every
  json_agg json_agg_strict json_object_agg json_object_agg_strict jsonb_agg jsonb_agg_strict jsonb_object_agg
  jsonb_object_agg_strict max min mode percentile_cont percentile_disc range_agg range_intersect_agg regr_avgx regr_avgy
  regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg sum
  var_pop var_samp variance`

const WINDOWS = `cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number`

const MATH = `abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh cbrt ceil ceiling cos cosd cosh cot cotd
  degrees div exp floor gcd lcm ln log log10 min_scale mod pi pow power radians random round scale sign sin sind sinh sqrt
  tan tand tanh trim_scale trunc width_bucket`

const TEXT = `ascii btrim casefold char_length character_length chr concat concat_ws format initcap is_normalized left length
  like_escape lower lpad ltrim md5 normalize octet_length overlay position quote_ident quote_literal quote_nullable regexp_count
  regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table
  regexp_substr repeat replace reverse right rpad rtrim similar_to_escape split_part starts_with string_to_array
  string_to_table strpos substr substring to_char to_hex to_number translate upper`

const TIMES = `age clock_timestamp date date_add date_bin date_part date_subtract date_trunc extract isfinite justify_days
  justify_hours justify_interval make_date make_interval make_time make_timestamp make_timestamptz now overlaps
  statement_timestamp timezone to_date to_timestamp transaction_timestamp`

const ARRAYS = `array_append array_cat array_dims array_length array_lower array_ndims array_position array_positions
  array_prepend array_remove array_replace array_reverse array_sort array_to_string array_upper cardinality
  generate_series generate_subscripts trim_array unnest`

const JSON_FUNCTIONS = `array_to_json json_array_elements json_array_elements_text json_array_length json_build_array
  json_build_object json_each json_each_text json_extract_path json_extract_path_text json_object json_object_keys
  json_strip_nulls json_to_record json_to_recordset json_typeof jsonb_array_elements jsonb_array_elements_text
  jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path
  jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz
  jsonb_path_match jsonb_path_match_tz jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz
  jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz jsonb_pretty jsonb_set jsonb_set_lax
  jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof row_to_json to_json to_jsonb`

const RANGES = `daterange datemultirange int4range int8range isempty lower_inc lower_inf multirange numrange range_merge
  tsrange tstzrange upper_inc upper_inf`

const OTHERS = `gen_random_uuid num_nonnulls num_nulls pg_typeof uuid_extract_timestamp uuid_extract_version`

/** Functions of the list that need several rows. */
export const AGGREGATE_FUNCTIONS: ReadonlySet<string> = new Set([AGGREGATES, WINDOWS].flatMap(words))

/** Functions of the list that return several rows. */
export const SET_FUNCTIONS: ReadonlySet<string> = new Set(
  words(`generate_series generate_subscripts json_array_elements json_array_elements_text json_each json_each_text
    json_object_keys json_to_recordset jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text
    jsonb_object_keys jsonb_path_query jsonb_path_query_tz jsonb_to_recordset regexp_matches regexp_split_to_table
    string_to_table unnest`),
)

/** Functions of the list that read the clock. \`age\` does with one argument. */
export const CLOCK_FUNCTIONS: ReadonlySet<string> = new Set(
  words('clock_timestamp now statement_timestamp transaction_timestamp'),
)

export const FUNCTIONS: ReadonlySet<string> = new Set(
  [AGGREGATES, WINDOWS, MATH, TEXT, TIMES, ARRAYS, JSON_FUNCTIONS, RANGES, OTHERS].flatMap(words),
)

/** Functions of the list whose result changes from call to call. They change nothing themselves. */
export const VOLATILE_FUNCTIONS: ReadonlySet<string> = new Set(['random', 'clock_timestamp', 'gen_random_uuid'])

/**
 * Functions that PostgreSQL would call for `t.name` when the rows of `t` have no column of that name, and that are not in the
 * list. The composite columns have fields with fixed names, so this matters only for rows.
 */
export const ROW_FUNCTIONS: ReadonlySet<string> = new Set(
  words(`any_out anycompatible_out anycompatiblenonarray_out anyelement_out anynonarray_out hash_record pg_collation_for
    pg_column_compression pg_column_size pg_column_toast_chunk_id pg_restore_attribute_stats pg_restore_relation_stats
    record_out record_send`),
)

/** Functions of the list that name their one column themselves. The others give it the alias. */
export const NAMED_RESULTS: ReadonlySet<string> = new Set(
  words('json_array_elements json_array_elements_text jsonb_array_elements jsonb_array_elements_text'),
)

/** The members of `relata_sql`'s composite types, and those of the rows of `json_each` and its kind. */
export const FIELDS: ReadonlySet<string> = new Set(
  words(`entity_definition_id entity_instance_id first_name last_name full_name line_1 line_2 line_3 line_4 locality region
    postcode country_code latitude longitude actor_type actor_id interaction_type interacted_at owner_actor_id key value`),
)

/** PostgreSQL's names of types, as the parser writes them. */
export const TYPES: ReadonlySet<string> = new Set(
  words(`text varchar bpchar bool int2 int4 int8 float4 float8 numeric date time timetz timestamp timestamptz interval uuid json
    jsonb jsonpath bytea daterange int4range int8range numrange tsrange tstzrange datemultirange`),
)

/** Ops of the keywords without parentheses: all but those of the clock read who is connected. */
export const CLOCK_KEYWORDS: ReadonlySet<string> = new Set(
  ['CURRENT_DATE', 'CURRENT_TIME', 'CURRENT_TIMESTAMP', 'LOCALTIME', 'LOCALTIMESTAMP'].flatMap((name) => [
    `SVFOP_${name}`,
    `SVFOP_${name}_N`,
  ]),
)

/**
 * The nodes of the tree that a query may contain, with their members. Everything else is refused, also what later versions of
 * the parser add.
 */

/** A value, a node (also a list of nodes), or the members of a node of that type. */
type Member = 'value' | 'node' | (string & {})

const value = (...names: string[]): Record<string, Member> => Object.fromEntries(names.map((name) => [name, 'value']))
const node = (...names: string[]): Record<string, Member> => Object.fromEntries(names.map((name) => [name, 'node']))

export const NODE_TYPES: Readonly<Record<string, Readonly<Record<string, Member>>>> = {
  SelectStmt: {
    ...node('distinctClause', 'targetList', 'fromClause', 'whereClause', 'groupClause', 'havingClause', 'windowClause'),
    ...node('valuesLists', 'sortClause', 'limitOffset', 'limitCount'),
    ...value('groupDistinct', 'limitOption', 'op', 'all'),
    withClause: 'WithClause',
    larg: 'SelectStmt',
    rarg: 'SelectStmt',
  },
  WithClause: { ...node('ctes'), ...value('recursive') },
  CommonTableExpr: {
    ...value('ctename', 'ctematerialized'),
    ...node('aliascolnames', 'ctequery'),
    search_clause: 'CTESearchClause',
    cycle_clause: 'CTECycleClause',
  },
  CTESearchClause: { ...node('search_col_list'), ...value('search_breadth_first', 'search_seq_column') },
  CTECycleClause: {
    ...node('cycle_col_list', 'cycle_mark_value', 'cycle_mark_default'),
    ...value('cycle_mark_column', 'cycle_path_column'),
  },

  RangeVar: { ...value('schemaname', 'relname', 'inh', 'relpersistence'), alias: 'Alias' },
  RangeSubselect: { ...value('lateral'), ...node('subquery'), alias: 'Alias' },
  RangeFunction: {
    ...value('lateral', 'ordinality', 'is_rowsfrom'),
    ...node('functions', 'coldeflist'),
    alias: 'Alias',
  },
  ColumnDef: { ...value('colname', 'is_local'), typeName: 'TypeName' },
  JoinExpr: {
    ...value('jointype', 'isNatural'),
    ...node('larg', 'rarg', 'usingClause', 'quals'),
    alias: 'Alias',
    join_using_alias: 'Alias',
  },
  Alias: { ...value('aliasname'), ...node('colnames') },

  ResTarget: { ...value('name'), ...node('val') },
  ColumnRef: node('fields'),
  A_Star: {},
  A_Indirection: node('arg', 'indirection'),
  A_Indices: { ...value('is_slice'), ...node('lidx', 'uidx') },
  ParamRef: value('number'),
  A_Const: { ival: 'Integer', fval: 'Float', sval: 'String', boolval: 'Boolean', ...value('isnull') },
  Integer: value('ival'),
  Float: value('fval'),
  String: value('sval'),
  Boolean: value('boolval'),
  List: node('items'),

  A_Expr: { ...value('kind', 'rexpr_list_start', 'rexpr_list_end'), ...node('name', 'lexpr', 'rexpr') },
  BoolExpr: { ...value('boolop'), ...node('args') },
  NullTest: { ...value('nulltesttype', 'argisrow'), ...node('arg') },
  BooleanTest: { ...value('booltesttype'), ...node('arg') },
  CaseExpr: node('arg', 'args', 'defresult'),
  CaseWhen: node('expr', 'result'),
  CoalesceExpr: node('args'),
  MinMaxExpr: { ...value('op'), ...node('args') },
  TypeCast: { ...node('arg'), typeName: 'TypeName' },
  TypeName: { ...node('names', 'typmods', 'arrayBounds'), ...value('typemod') },
  CollateClause: node('arg', 'collname'),
  A_ArrayExpr: { ...node('elements'), ...value('list_start', 'list_end') },
  RowExpr: { ...node('args', 'colnames'), ...value('row_format') },
  SubLink: { ...value('subLinkType'), ...node('testexpr', 'operName', 'subselect') },
  SQLValueFunction: value('op', 'typmod'),

  FuncCall: {
    ...node('funcname', 'args', 'agg_order', 'agg_filter'),
    ...value('agg_within_group', 'agg_star', 'agg_distinct', 'func_variadic', 'funcformat'),
    over: 'WindowDef',
  },
  NamedArgExpr: { ...value('name', 'argnumber'), ...node('arg') },
  WindowDef: {
    ...value('name', 'refname', 'frameOptions'),
    ...node('partitionClause', 'orderClause', 'startOffset', 'endOffset'),
  },
  GroupingFunc: node('args'),
  GroupingSet: { ...value('kind'), ...node('content') },
  SortBy: { ...node('node', 'useOp'), ...value('sortby_dir', 'sortby_nulls') },
}

/** What the clauses are called that callers try and that are refused. */
export const REFUSED: Readonly<Record<string, string>> = {
  intoClause: 'SELECT INTO is not allowed.',
  lockingClause: 'Locks of rows are not allowed.',
  catalogname: 'Names of tables have at most two parts.',
  InsertStmt: 'Only SELECT queries are allowed.',
  UpdateStmt: 'Only SELECT queries are allowed.',
  DeleteStmt: 'Only SELECT queries are allowed.',
  MergeStmt: 'Only SELECT queries are allowed.',
  RangeTableSample: 'TABLESAMPLE is not supported.',
  bsval: 'Bit strings are not supported.',
}

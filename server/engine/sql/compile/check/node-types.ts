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

/**
 * Measures how large a query becomes in PostgreSQL. The planner replaces each column of a subquery by its expression, so each level
 * of `select a + a as a from (…)` doubles the expression below it; `between` and others copy an operand. A short text can
 * therefore take gigabytes, which neither a time limit nor `work_mem` ends. The measure is an upper bound: it treats every common
 * table expression as inlined. See docs/decisions/sql.md.
 */

import type { Members, SourceText } from '#engine/sql/compile/parse/parse-text'

/** A part of the parse tree, whose members depend on its type. */
type Node = Readonly<Record<string, unknown>>

/** The columns of a relation, with the size of the expression of each. */
interface Relation {
  readonly alias: string | undefined
  /** The columns in their order. A column without a name may have any name. */
  readonly columns: readonly Column[]
}

interface Column {
  readonly name: string | undefined
  readonly size: number
}

interface Measured {
  readonly columns: readonly Column[]
  /** The size of all expressions. */
  readonly size: number
  /** How many queries a union combines: the planner copies outer conditions to each. */
  readonly branches: number
}

interface Scope {
  /** The relations of the query and of the queries around it, the innermost first. */
  readonly levels: readonly (readonly Relation[])[]
  readonly tables: ReadonlyMap<string, Measured>
}

/** A table of the workspace, or the result of a function. */
const STORED: readonly Column[] = [{ name: undefined, size: 1 }]

/** PostgreSQL takes about a kilobyte for each node. A text without repetition, at its longest, has fewer nodes than that. */
const MAX_NODES = 100_000

export function checkExpandedSize(source: SourceText, query: Members): void {
  if (expandedSize(query) <= MAX_NODES) return
  throw source.refusal('The query is too large with the expressions of its subqueries in place of their columns.', null)
}

/** Returns the number of nodes of a query after the replacement. */
const expandedSize = (query: Node): number => measureSelect(query, { levels: [], tables: new Map() }).size

function measureSelect(select: Node, outer: Scope): Measured {
  const { tables, size: sizeOfTables } = measureTables(select.withClause, outer)
  const scope = { levels: outer.levels, tables }
  const measured = select.larg && select.rarg ? measureUnion(select, scope) : measureSimple(select, scope)
  const isLimited = select.limitCount !== undefined || select.limitOffset !== undefined
  return {
    // The planner does not inline a query with a limit.
    columns: isLimited ? measured.columns.map(asStored) : measured.columns,
    size: measured.size + sizeOfTables,
    branches: isLimited ? 1 : measured.branches,
  }
}

const asStored = ({ name }: Column): Column => ({ name, size: 1 })

function measureUnion(select: Node, scope: Scope): Measured {
  const [left, right] = [measureSelect(node(select.larg), scope), measureSelect(node(select.rarg), scope)]
  return {
    columns: left.columns.map(({ name, size }, n) => ({
      name,
      size: Math.max(size, right.columns[n]?.size ?? largest(right.columns)),
    })),
    size:
      left.size +
      right.size +
      sizeOfRest(select, { ...scope, levels: [[{ alias: undefined, columns: left.columns }], ...scope.levels] }),
    branches: left.branches + right.branches,
  }
}

function measureSimple(select: Node, scope: Scope): Measured {
  const from = measureFrom(list(select.fromClause), scope)
  const inner = { ...scope, levels: [from.relations, ...scope.levels] }
  const columns = [
    ...list(select.targetList).flatMap((target) => columnsOf(target, inner)),
    ...columnsOfValues(select, inner),
  ]
  const own = columns.reduce((sum, { size }) => sum + size, 0) + sizeOfRest(select, inner)
  return { columns, size: own * from.branches + from.size, branches: from.branches }
}

function columnsOfValues({ valuesLists }: Node, scope: Scope): Column[] {
  const rows = list(valuesLists).map((row) => list(node(row.List).items).map((value) => sizeOf(value, scope)))
  const [first = []] = rows
  // All rows count for the first column, so that their sum is the size of the query.
  const total = rows.flat().reduce((sum, size) => sum + size, 0)
  return first.map((_size, n) => ({
    name: undefined,
    size: n === 0 ? total : Math.max(...rows.map((row) => row[n] ?? 0)),
  }))
}

/** The members of a query that are no expressions of its own level. */
const MEASURED_APART = new Set(['withClause', 'fromClause', 'targetList', 'valuesLists', 'larg', 'rarg'])

const sizeOfRest = (select: Node, scope: Scope): number =>
  Object.entries(select).reduce((sum, [key, value]) => (MEASURED_APART.has(key) ? sum : sum + sizeOf(value, scope)), 0)

function measureTables(withClause: unknown, outer: Scope): { readonly tables: Scope['tables']; readonly size: number } {
  const tables = new Map(outer.tables)
  let total = 0
  const { ctes, recursive } = node(withClause)
  for (const each of list(ctes)) {
    const table = node(each.CommonTableExpr)
    const name = String(table.ctename)
    if (recursive === true) tables.set(name, { columns: STORED, size: 1, branches: 1 })
    const measured = measureSelect(node(node(table.ctequery).SelectStmt), { levels: outer.levels, tables })
    const isStored = recursive === true || table.ctematerialized === 'CTEMaterializeAlways'
    const columns = renamed(measured.columns, table.aliascolnames)
    total += measured.size
    tables.set(name, isStored ? { columns: columns.map(asStored), size: 1, branches: 1 } : { ...measured, columns })
  }
  return { tables, size: total }
}

interface From {
  readonly relations: Relation[]
  readonly size: number
  readonly branches: number
}

function measureFrom(items: readonly Node[], scope: Scope): From {
  const from = { relations: [] as Relation[], size: 0, branches: 1 }
  for (const item of items) addItem(item, scope, from)
  return from
}

function addItem(item: Node, scope: Scope, from: { relations: Relation[]; size: number; branches: number }): void {
  const [type = '', value] = Object.entries(item)[0] ?? []
  const content = node(value)
  // A lateral item sees the items before it.
  const seen = () => ({ ...scope, levels: [[...from.relations], ...scope.levels] })
  const add = ({ columns, size, branches }: Measured, name?: string) => {
    const alias = node(content.alias)
    const aliasName = alias.aliasname ?? name
    from.relations.push({
      alias: aliasName === undefined ? undefined : String(aliasName),
      columns: renamed(columns, alias.colnames),
    })
    from.size += size
    from.branches = Math.max(from.branches, branches)
  }
  if (type === 'JoinExpr') {
    for (const side of [content.larg, content.rarg]) addItem(node(side), scope, from)
    if (content.alias !== undefined)
      add({ columns: from.relations.flatMap(({ columns }) => columns), size: 0, branches: 1 })
    from.size += sizeOf(content.quals, seen())
  } else if (type === 'RangeSubselect') add(measureSelect(node(node(content.subquery).SelectStmt), seen()))
  else if (type === 'RangeVar') {
    const name = String(content.relname)
    const table = content.schemaname === undefined ? scope.tables.get(name) : undefined
    add(table ?? { columns: STORED, size: 1, branches: 1 }, name)
  } else add({ columns: STORED, size: sizeOf(value, seen()), branches: 1 })
}

/** Returns the columns with the names that an alias gives them, in order. An unnamed column may stand for several. */
function renamed(columns: readonly Column[], names: unknown): readonly Column[] {
  const given = list(names).map((name) => String(node(name.String).sval))
  if (given.length === 0) return columns
  const isInOrder = columns.every(({ name }) => name !== undefined)
  const others = columns.map(({ name, size }, n) => ({ name: given[n] ?? name, size }))
  return isInOrder ? others : [...columns, ...given.map((name) => ({ name, size: largest(columns) }))]
}

function columnsOf(target: Node, scope: Scope): readonly Column[] {
  const { name, val } = node(target.ResTarget)
  const fields = fieldsOf(node(val).ColumnRef)
  if (fields !== undefined && fields.at(-1) === undefined) return columnsOfStar(fields.at(-2), scope)
  return [{ name: name === undefined ? fields?.at(-1) : String(name), size: sizeOf(val, scope) }]
}

/** Returns the columns of `*` or of `alias.*`. */
function columnsOfStar(qualifier: string | undefined, { levels }: Scope): readonly Column[] {
  const [relations = []] = qualifier === undefined ? levels : levels.filter((level) => hasAlias(level, qualifier))
  return relations
    .filter(({ alias }) => qualifier === undefined || alias === qualifier)
    .flatMap(({ columns }) => columns)
}

const hasAlias = (level: readonly Relation[], name: string): boolean => level.some(({ alias }) => alias === name)

/** Returns the names of a reference to a column; undefined stands for `*`. */
function fieldsOf(columnRef: unknown): (string | undefined)[] | undefined {
  if (columnRef === undefined) return undefined
  return list(node(columnRef).fields).map((field) =>
    field.String === undefined ? undefined : String(node(field.String).sval),
  )
}

/** `type` is the type of the node `value`. */
function sizeOf(value: unknown, scope: Scope, type = ''): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + sizeOf(each, scope), 0)
  if (typeof value !== 'object' || value === null) return 0
  let size = 0
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'ColumnRef') size += sizeOfReference(fieldsOf(inner) ?? [], scope)
    else if (key === 'SelectStmt') size += measureSelect(node(inner), scope).size
    else size += sizeOf(inner, scope, key) * copiesOf(key, type, node(value)) + (/^[A-Z]/.test(key) ? 1 : 0)
  }
  return size
}

/** Returns how often PostgreSQL's analysis takes a member of a node. */
function copiesOf(member: string, type: string, content: Node): number {
  if (member === 'raw_expr') return 2 // of a function of JSON
  if (type === 'A_Indirection' && member === 'arg' && isStarred(content.indirection)) return widthOf(node(content.arg))
  if (type !== 'A_Expr') return 1
  const kind = String(content.kind)
  if (kind === 'AEXPR_IN') return member === 'lexpr' ? list(node(node(content.rexpr).List).items).length : 1
  if (kind.endsWith('_SYM')) return member === 'lexpr' ? 4 : 2
  return kind.endsWith('BETWEEN') && member === 'lexpr' ? 2 : 1
}

const isStarred = (indirection: unknown): boolean => list(indirection).some((each) => each.A_Star !== undefined)

/** The columns of a table of the workspace, of which the parse tree says nothing, are about as many. */
const USUAL_WIDTH = 20

/** Returns the number of members of an expression in `(expression).*`. */
function widthOf({ RowExpr }: Node): number {
  if (RowExpr === undefined) return USUAL_WIDTH
  return list(node(RowExpr).args).reduce((sum, each) => {
    const { arg, indirection } = node(each.A_Indirection)
    return sum + (isStarred(indirection) ? widthOf(node(arg)) : 1)
  }, 0)
}

/** The reference may mean a column, a member of a column or a whole row, of any level. */
function sizeOfReference(fields: readonly (string | undefined)[], { levels }: Scope): number {
  const isQualified = fields.length > 1 && levels.some((level) => level.some(({ alias }) => fields.includes(alias)))
  let size = 1
  for (const relations of levels) {
    const meant = isQualified ? relations.filter((each) => isMeant(fields, each)) : relations
    for (const field of fields) size = Math.max(size, sizeInLevel(field, meant))
  }
  return size
}

/** A reference begins with an alias or a column. */
const isMeant = (fields: readonly (string | undefined)[], { alias, columns }: Relation): boolean =>
  fields.includes(alias) || columns.some(({ name }) => name !== undefined && name === fields[0])

/** Adds the columns of the same name, because a full join merges them to one expression. */
function sizeInLevel(field: string | undefined, relations: readonly Relation[]): number {
  let [named, unnamed] = [0, 0]
  for (const { alias, columns } of relations) {
    const whole = field === undefined || alias === field ? columns.reduce((sum, { size }) => sum + size, 0) : 0
    named += Math.max(whole, largest(columns.filter(({ name }) => name === field)))
    unnamed = Math.max(unnamed, largest(columns.filter(({ name }) => name === undefined)))
  }
  return Math.max(named, unnamed)
}

const largest = (columns: readonly Column[]): number => columns.reduce((most, { size }) => Math.max(most, size), 0)

const node = (value: unknown): Node => (value ?? {}) as Node // the parser makes objects of all nodes
const list = (value: unknown): readonly Node[] => (value ?? []) as readonly Node[] // and arrays of all lists

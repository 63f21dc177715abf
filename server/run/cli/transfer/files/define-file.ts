/**
 * The definition of a file of an exported workspace: a line of JSON for each row of a table. The same definition reads the rows
 * and inserts them. See docs/export-format.md.
 */

/** The columns of a file: the names of its members, and their SQL types or what differs from a plain column. */
export type FileColumns = Readonly<Record<string, string | FileColumn>>

export interface FileColumn {
  /** The SQL type of the member in the file. */
  readonly type: string
  /** SQL of the member over the row `t`. By default the column of this name. */
  readonly select?: string
  /** SQL of the stored value over the line `r`; null for a member that is not stored. By default the member. $1 is the workspace. */
  readonly insert?: string | null
  /** The column that stores it, where it has another name. */
  readonly column?: string
}

/** A table that rows of the file are inserted into. */
export interface TargetTable {
  readonly table: string
  /** The members that it stores. */
  readonly columns: readonly string[]
}

export interface FileDefinition {
  /** The name of the file without `.ndjson`. */
  readonly name: string
  /** A control table, or a table of the workspace's schema. */
  readonly table: string
  readonly isInWorkspaceSchema?: true
  /** SQL of the rows instead of the table. $1 is the workspace. */
  readonly from?: string
  /** A condition over the row `t`. */
  readonly where?: string
  /** The order of the lines. It has no two equal rows. */
  readonly order: string
  readonly columns: FileColumns
  /** Members of the files of earlier versions, which an import leaves out. */
  readonly former?: readonly string[]
  /** Members that the files of earlier versions lack. They are null then. */
  readonly later?: readonly string[]
  /** Whether exports of earlier versions lack the file. */
  readonly isOptional?: true
  /** Only of a file whose rows are inserted into several tables. */
  readonly targets?: readonly TargetTable[]
  /** Columns that every inserted row has with this SQL, and no exported line. */
  readonly constants?: Readonly<Record<string, string>>
  /** Columns that the import adds to each line, with their SQL types. */
  readonly added?: Readonly<Record<string, string>>
  /** How many rows are read at once. Fewer where rows are large. */
  readonly batch?: number
}

export const DEFAULT_BATCH = 500

type GivenDefinition = Omit<FileDefinition, 'name' | 'table' | 'order'> &
  Partial<Pick<FileDefinition, 'table' | 'order'>>

/**
 * The files with these names, in the order in which an import inserts their rows. By default, the table has the name of the file, and
 * the lines are in the order of their ids.
 */
export const defineFiles = <Name extends string>(
  files: Readonly<Record<Name, GivenDefinition>>,
): Readonly<Record<Name, FileDefinition>> =>
  // `fromEntries` does not know the names.
  Object.fromEntries(
    Object.entries<GivenDefinition>(files).map(([name, file]) => [
      name,
      { name, table: name.replaceAll('-', '_'), order: 't.id', ...file },
    ]),
  ) as Record<Name, FileDefinition>

/** A column of bytes, in hexadecimal digits. */
export const hex = (column: string): FileColumn => ({
  type: 'text',
  select: `encode(t.${column}, 'hex')`,
  insert: `decode(r.${column}, 'hex')`,
})

const normalized = (column: string | FileColumn): FileColumn => (typeof column === 'string' ? { type: column } : column)

/** The statement that reads the lines. The driver's cursor returns them in this order. `table` is qualified. */
export function exportStatement(file: FileDefinition, table: string): string {
  const select = Object.entries(file.columns).map(([name, column]) => {
    const { select: expression = `t."${name}"` } = normalized(column)
    return `${expression} as "${name}"`
  })
  const conditions = [...(file.isInWorkspaceSchema ? [] : ['t.workspace_id = $1']), ...(file.where ? [file.where] : [])]
  const where = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''
  const rows = `select ${select.join(', ')} from ${file.from ?? table} t${where} order by ${file.order}`
  // A column of type json keeps line breaks between its members.
  return `select translate(row_to_json(r)::text, E'\\n\\r', '  ') as line from (${rows}) r`
}

/** The statements that insert a batch of lines: $1 is the workspace, $2 an array of JSON. `qualify` makes names of tables. */
export function importStatements(file: FileDefinition, qualify: (table: string) => string): string[] {
  const members = Object.entries(file.columns).map(([name, column]) => [name, normalized(column)] as const)
  const stored = members.filter(([, { insert }]) => insert !== null)
  const types = [...members.map(([name, { type }]) => `"${name}" ${type}`), ...typesOf(file.added ?? {})]
  const values = new Map([
    ...stored.map(([name, { insert, column = name }]) => [column, insert ?? `r."${name}"`] as const),
    ...Object.keys(file.added ?? {}).map((name) => [name, `r."${name}"`] as const),
    ...Object.entries(file.constants ?? {}),
  ])
  const targets = file.targets ?? [{ table: file.table, columns: [...values.keys()] }]
  return targets.map(({ table, columns }) => {
    const inserted = file.isInWorkspaceSchema ? columns : ['workspace_id', ...columns]
    const names = inserted.map((name) => `"${name}"`).join(', ')
    const expressions = inserted.map((name) => (name === 'workspace_id' ? '$1::uuid' : (values.get(name) ?? 'null')))
    const overriding = file.isInWorkspaceSchema ? ' overriding system value' : ''
    return `insert into ${qualify(table)} (${names})${overriding} select ${expressions.join(', ')}
      from json_to_recordset($2::text::json) as r(${types.join(', ')})`
  })
}

const typesOf = (columns: Readonly<Record<string, string>>): string[] =>
  Object.entries(columns).map(([name, type]) => `"${name}" ${type}`)

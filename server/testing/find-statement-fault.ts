/** Checks a statement of the service against the rules that let PostgreSQL be distributed. See docs/scaling.md (Rules of statements). */

import { WORKSPACE_FUNCTION } from '#db/citus'
import { parseStatements } from '#engine/sql/compile/parse/postgresql-parser'

/** Locks and notifications of a node do not reach the other nodes. */
const LOCAL_FUNCTION = /^pg_(notify|(try_)?advisory_.+)$/

interface Names {
  readonly workspaces: Set<string>
  readonly controlTables: Set<string>
  /** With their schema, if the statement names it. */
  readonly functions: Set<string>
}

const CONTROL_SCHEMA = 'relata'
const WORKSPACE_SCHEMA = /^w_\d+$/

/** The first line of a migration, whose text has several commands. */
const MIGRATION = '-- migration '

/** Returns what is wrong with a statement, or undefined. A text that PostgreSQL cannot parse has no fault. */
export function findStatementFault(text: string): string | undefined {
  if (text.startsWith(MIGRATION) || !mayHaveFault(text)) return undefined
  const tree = parse(text)
  if (tree === undefined) return undefined
  const commands = tree.stmts?.length ?? 0
  if (commands > 1) return `A message has ${commands} commands.`
  const names: Names = { workspaces: new Set(), controlTables: new Set(), functions: new Set() }
  collectNames(tree, names)
  return findMixture(names)
}

const SEVERAL_COMMANDS = /;\s*\S/
/** An identifier with escapes may be any name. */
const ESCAPED_NAME = /u&/i
const WORKSPACE_NAME = /w_\d+/gi
/** A control table or a function that no statement of a workspace may name. */
const OTHER_NAME = /relata|pg_notify|advisory/i

/** Looks only at the text: to parse it takes far longer. Never false for a statement with a fault. */
function mayHaveFault(text: string): boolean {
  if (SEVERAL_COMMANDS.test(text) || ESCAPED_NAME.test(text)) return true
  const [workspace, ...others] = text.match(WORKSPACE_NAME) ?? []
  if (workspace === undefined) return false
  return OTHER_NAME.test(text) || others.some((other) => other !== workspace)
}

function findMixture({ workspaces, controlTables, functions }: Names): string | undefined {
  const [workspace, other] = workspaces
  if (workspace === undefined) return undefined
  if (other !== undefined) return `A statement names tables of ${workspace} and ${other}.`
  const [control] = controlTables
  if (control !== undefined) return `A statement names the control table ${control} and a table of ${workspace}.`
  const called = [...functions].find((name) => !existsOnEveryNode(name))
  return called && `A statement calls ${called} and names a table of ${workspace}.`
}

type Tree = Readonly<Record<string, unknown>>

function parse(text: string): (Tree & { readonly stmts?: readonly unknown[] }) | undefined {
  if (text.trim() === '') return undefined
  try {
    return parseStatements(text) as Tree // the parser returns parsed JSON
  } catch {
    return undefined
  }
}

/** Collects the names of tables and functions. */
function collectNames(node: unknown, names: Names): void {
  if (Array.isArray(node)) for (const item of node) collectNames(item, names)
  else if (isTree(node)) {
    if (typeof node.relname === 'string') addTable(String(node.schemaname), node.relname, names)
    if (Array.isArray(node.funcname)) names.functions.add(qualifiedName(node.funcname))
    for (const member in node) collectNames(node[member], names)
  }
}

function addTable(schema: string, table: string, { workspaces, controlTables }: Names): void {
  if (schema === CONTROL_SCHEMA) controlTables.add(table)
  else if (WORKSPACE_SCHEMA.test(schema)) workspaces.add(schema)
}

function existsOnEveryNode(name: string): boolean {
  if (!name.startsWith(`${CONTROL_SCHEMA}.`)) return !LOCAL_FUNCTION.test(name)
  return WORKSPACE_FUNCTION.test(name.slice(CONTROL_SCHEMA.length + 1))
}

const qualifiedName = (parts: readonly { readonly String?: { readonly sval?: string } }[]): string =>
  parts.map((part) => part.String?.sval).join('.')

const isTree = (node: unknown): node is Tree => typeof node === 'object' && node !== null

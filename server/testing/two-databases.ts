/**
 * A `Database` whose control tables and workspace tables are in two databases: a statement goes where its tables are. It proves that
 * no statement needs both. A transaction begins and ends in both, so the few that need both work as well, but are not atomic.
 */

import type { Database, Sql, Transaction } from '#db/connect'

type Steps<T> = (tx: Transaction) => Promise<T>

/** The name of a workspace's schema, in a statement or as a parameter. */
const WORKSPACE_SCHEMA = /\bw_\d+\b/

/** `control` has the control tables, `tables` those of workspaces. */
export function joinDatabases(control: Database, tables: Database): Database {
  return {
    ...control,
    sql: joinPools(control.sql, tables.sql),
    lookups: joinPools(control.lookups, tables.lookups),
    queries: joinPools(control.queries, tables.queries),
    close: async () => void (await Promise.all([control.close(), tables.close()])),
  }
}

const joinPools = (control: Sql, tables: Sql): Sql =>
  joined(control, tables, {
    begin: <T>(...args: [string, Steps<T>] | [Steps<T>]) => {
      const steps = args.at(-1) as Steps<T> // both forms end with the steps
      const mode = args.length > 1 ? String(args[0]) : ''
      return control.begin(mode, (tx) => tables.begin(mode, (other) => steps(joinTransactions(tx, other))))
    },
  })

const joinTransactions = (control: Transaction, tables: Transaction): Transaction =>
  joined(control, tables, {
    savepoint: <T>(...args: [string, Steps<T>] | [Steps<T>]) => {
      const steps = args.at(-1) as Steps<T> // both forms end with the steps
      return control.savepoint((tx) => tables.savepoint((other) => steps(joinTransactions(tx, other))))
    },
  })

/** The interface of `control`. Its statements over workspace tables go to `tables`, and those about savepoints to both. */
function joined<S extends Sql | Transaction>(control: S, tables: S, members: object): S {
  const statement = (first: unknown, ...args: unknown[]) => {
    const isTemplate = Array.isArray(first) && 'raw' in first
    const to = isTemplate && namesWorkspace([...first, ...args]) ? tables : control
    return (to as (...all: unknown[]) => unknown)(first, ...args) // the arguments of the caller, unchanged
  }
  const unsafe: S['unsafe'] = (text, args, options) => {
    if (/^(rollback to |release )?savepoint /.test(text)) void tables.unsafe(text).catch(() => {})
    return (namesWorkspace([text, ...(args ?? [])]) ? tables : control).unsafe(text, args, options)
  }
  return Object.assign(statement, control, { unsafe, ...members }) as unknown as S // `statement` is as generic as the driver's own
}

/** Whether a part of a statement or one of its parameters names the schema of a workspace. */
function namesWorkspace(parts: readonly unknown[]): boolean {
  return parts.some((part) => {
    if (typeof part === 'string') return part.length < MAX_LENGTH && WORKSPACE_SCHEMA.test(part)
    if (Array.isArray(part)) return namesWorkspace(part)
    return isFragment(part) && namesWorkspace([...part.strings, ...part.args])
  })
}

/** A longer text is data. */
const MAX_LENGTH = 100_000

/** A statement of the driver that is a part of another one. */
const isFragment = (part: unknown): part is { strings: readonly string[]; args: readonly unknown[] } =>
  typeof part === 'object' && part !== null && 'strings' in part && 'args' in part

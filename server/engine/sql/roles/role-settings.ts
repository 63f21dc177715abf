/** The settings under which SQL of API callers runs: of the role, and again of each connection. */

export interface SqlLimits {
  readonly timeoutMs: number
}

/** Any user may set these. */
export const roleSettings = ({ timeoutMs }: SqlLimits): Readonly<Record<string, string>> => ({
  default_transaction_read_only: 'on',
  search_path: 'pg_catalog',
  // The check reads the text with the parser's own settings; the server must read it in the same way.
  standard_conforming_strings: 'on',
  client_encoding: 'UTF8',
  statement_timeout: `${timeoutMs}ms`,
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '60s',
  work_mem: '32MB',
  max_parallel_workers_per_gather: '1',
  jit: 'off',
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
})

/** Only a superuser may set these, for a role. */
export const SUPERUSER_SETTINGS: Readonly<Record<string, string>> = { temp_file_limit: '1GB' }

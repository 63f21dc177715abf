/** Each class of PostgreSQL's errors has its answer. PostgreSQL raises the errors, in the statement of a request. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { captureLog } from '#testing/captured-log'
import { createTrigger } from '#testing/create-trigger'
import { useTestService } from '#testing/use-service'
import { taskInput } from '#testing/tasks'

const service = useTestService()
beforeAll(async () => {
  await service.db.sql.unsafe('create sequence tries')
  await createTrigger(service.db, {
    name: 'fail_as_the_content_says',
    when: 'before insert on relata.tasks',
    body: `perform nextval('tries'); raise exception 'on purpose' using errcode = trim(new.content);`,
  })
})

const RETRIED = 12

/** Creates a task whose statement fails with the code. */
async function failWith(code: string) {
  const { sql } = service.db
  await sql`select setval('tries', 1, false)`
  const log: string[] = []
  const input = { data: taskInput({ content: code }) }
  const { status, body, headers } = await captureLog(() => service.request('POST', '/v2/tasks', input), log)
  const [count] = await sql<[{ tries: string }]>`select last_value as tries from tries`
  return { answer: `${status} ${body.code}`, tries: Number(count.tries), headers, log }
}

const UNAVAILABLE = '503 unavailable'
const CANCELLED = '400 query_timed_out'
const FAULT = '500 internal_error'

/** All classes of the appendix "PostgreSQL Error Codes", and each code that has another answer than its class. */
const CODES: readonly (readonly [code: string, name: string, answer: string, tries?: number])[] = [
  ['01000', 'warning', FAULT],
  ['02000', 'no data', FAULT],
  ['03000', 'SQL statement not yet complete', FAULT],
  ['08000', 'connection exception', UNAVAILABLE],
  ['08006', 'connection failure, as of a lost node of a cluster', UNAVAILABLE],
  ['08P01', 'protocol violation', UNAVAILABLE],
  ['09000', 'triggered action exception', FAULT],
  ['0A000', 'feature not supported', FAULT],
  ['0B000', 'invalid transaction initiation', FAULT],
  ['0F000', 'locator exception', FAULT],
  ['0L000', 'invalid grantor', FAULT],
  ['0P000', 'invalid role specification', FAULT],
  ['0Z000', 'diagnostics exception', FAULT],
  ['10608', 'XQuery error', FAULT],
  ['20000', 'case not found', FAULT],
  ['21000', 'cardinality violation', FAULT],
  ['22000', 'data exception', FAULT],
  ['23514', 'integrity constraint violation', FAULT],
  ['24000', 'invalid cursor state', FAULT],
  ['25000', 'invalid transaction state', FAULT],
  ['25006', 'read-only transaction, as of a standby', UNAVAILABLE],
  ['25P02', 'in failed transaction', FAULT],
  ['25P03', 'idle in transaction timeout', UNAVAILABLE],
  ['25P04', 'transaction timeout', UNAVAILABLE],
  ['26000', 'invalid statement name', FAULT],
  ['27000', 'triggered data change violation', FAULT],
  ['28000', 'invalid authorization', UNAVAILABLE],
  ['28P01', 'invalid password', UNAVAILABLE],
  ['2B000', 'dependent privilege descriptors exist', FAULT],
  ['2D000', 'invalid transaction termination', FAULT],
  ['2F000', 'SQL routine exception', FAULT],
  ['34000', 'invalid cursor name', FAULT],
  ['38000', 'external routine exception', FAULT],
  ['39000', 'external routine invocation exception', FAULT],
  ['3B000', 'savepoint exception', FAULT],
  ['3D000', 'invalid catalog name', UNAVAILABLE],
  ['3F000', 'invalid schema name', FAULT],
  ['40000', 'transaction rollback', UNAVAILABLE, RETRIED],
  ['40001', 'serialization failure', UNAVAILABLE, RETRIED],
  ['40003', 'statement completion unknown', UNAVAILABLE],
  ['40P01', 'deadlock', UNAVAILABLE, RETRIED],
  ['42000', 'syntax error or access rule violation', FAULT],
  ['42501', 'insufficient privilege', FAULT],
  ['42703', 'undefined column', FAULT],
  ['42P01', 'undefined table', FAULT],
  ['44000', 'WITH CHECK OPTION violation', FAULT],
  ['53000', 'insufficient resources', UNAVAILABLE],
  ['53100', 'disk full', UNAVAILABLE],
  ['53200', 'out of memory', UNAVAILABLE],
  ['53300', 'too many connections', UNAVAILABLE],
  ['53400', 'configuration limit exceeded', UNAVAILABLE],
  ['54000', 'program limit exceeded', FAULT],
  ['55000', 'object not in prerequisite state', FAULT],
  ['55P03', 'lock not available', UNAVAILABLE, RETRIED],
  ['57000', 'operator intervention', UNAVAILABLE],
  ['57014', 'query canceled', CANCELLED],
  ['57P01', 'admin shutdown', UNAVAILABLE],
  ['57P02', 'crash shutdown', UNAVAILABLE],
  ['57P03', 'cannot connect now', UNAVAILABLE],
  ['57P04', 'database dropped', UNAVAILABLE],
  ['57P05', 'idle session timeout', UNAVAILABLE],
  ['58000', 'system error', UNAVAILABLE],
  ['58030', 'I/O error', UNAVAILABLE],
  ['72000', 'snapshot too old', UNAVAILABLE, RETRIED],
  ['F0000', 'configuration file error', FAULT],
  ['HV000', 'foreign data wrapper error', FAULT],
  ['P0001', 'PL/pgSQL error', FAULT],
  ['XX000', 'internal error', FAULT],
  ['XX001', 'data corrupted', FAULT],
]

describe('a statement that fails with', () => {
  test.each(CODES)('%s (%s) is answered with %s', async (code, _, expected, expectedTries = 1) => {
    const { answer, tries, headers, log } = await failWith(code)
    expect([answer, tries]).toEqual([expected, expectedTries])
    expect(headers.has('Retry-After')).toBe(expected === UNAVAILABLE)
    expect(log.map((line) => JSON.parse(line))).toMatchObject([{ level: 'error', error: 'on purpose', code }])
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Database, type Transaction } from '#db/connect'
import { runInTransaction } from '#db/run-in-transaction'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { runShortTransaction } from './short-transaction'
import { compileStatement } from './statement'

let database: TestDatabase
/** Each pool has one connection, so a test that follows a transaction uses the connection of that transaction. */
let db: Database
beforeAll(async () => {
  database = await emptyTestDatabase()
  db = connect(database.url, { max: 1 })
  await db.sql`create table things (name text primary key, transaction text default pg_current_xact_id()::text)`
})
beforeEach(async () => {
  await db.sql`truncate things`
  await db.sql`insert into things (name) values ('first')`
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const INSERT = compileStatement((param) => `insert into things (name) values (${param('name')})`)
const insert = (name: string) => ({ statement: INSERT, texts: { name }, result: name })

const lockFirst = (tx: Transaction) => tx`select 1 from things where name = 'first' for key share`
const transactionId = async (tx: Transaction) => {
  const [row] = await tx<{ id: string }[]>`select pg_current_xact_id()::text as id`
  return row?.id
}
const names = async () => (await db.sql`select name from things order by name`).map(({ name }) => name)

/** Whether no connection is idle in a transaction. */
const isOutsideTransactions = async () => {
  const [row] = await database.db.sql<{ count: string }[]>`
    select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
  return row?.count === '0'
}

describe.each([
  ['a short transaction', <T>(work: (on: Database) => Promise<T>) => work(db)],
  [
    'a short transaction in another one',
    <T>(work: (on: Database) => Promise<T>) => runInTransaction(db, (one) => one.undoable(work)),
  ],
] as const)('%s', (_, within) => {
  test('commits, and runs its steps and the statement in one transaction', async () => {
    const ids: (string | undefined)[] = []
    const result = await within((on) =>
      runShortTransaction(on, async (tx) => {
        ids.push(await transactionId(tx))
        await lockFirst(tx)
        return insert('second')
      }),
    )
    expect(result).toBe('second')
    expect(await names()).toEqual(['first', 'second'])
    const [second] = await db.sql`select transaction from things where name = 'second'`
    expect(ids).toEqual([second?.transaction])
    expect(await isOutsideTransactions()).toBe(true)
  })

  test('throws the error of the statement, and leaves the connection outside a transaction', async () => {
    const failing = within((on) =>
      runShortTransaction(on, async (tx) => {
        await lockFirst(tx)
        return insert('first')
      }),
    )
    await expect(failing).rejects.toMatchObject({ code: '23505' })
    expect(await isOutsideTransactions()).toBe(true)
    expect(await names()).toEqual(['first'])
  })

  test('throws the error of a step, and rolls back', async () => {
    const refusing = within((on) =>
      runShortTransaction(on, async (tx) => {
        await lockFirst(tx)
        throw new Error('refused')
      }),
    )
    await expect(refusing).rejects.toThrow('refused')
    const failing = within((on) =>
      runShortTransaction(on, async (tx) => {
        await tx`select 1 / 0`
        return insert('second')
      }),
    )
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect(await isOutsideTransactions()).toBe(true)
    expect(await names()).toEqual(['first'])
  })

  test('without a statement, releases its locks', async () => {
    const result = await within((on) => runShortTransaction(on, async (tx) => void (await lockFirst(tx))))
    expect(result).toBeUndefined()
    await database.db.sql`delete from things`
    expect(await isOutsideTransactions()).toBe(true)
  })
})

describe('a lost connection', () => {
  test('rejects, and the next transaction has another connection', async () => {
    const lost = runShortTransaction(db, async (tx) => {
      const [backend] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      await database.db.sql`select pg_terminate_backend(${backend?.pid ?? 0}, 5000)`
      return insert('second')
    })
    await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(await runShortTransaction(db, async (tx) => (await lockFirst(tx)) && insert('third'))).toBe('third')
    expect(await names()).toEqual(['first', 'third'])
  })
})

test('transactions that run at once wait for a free connection', async () => {
  const created = ['a', 'b', 'c', 'd'].map((name) =>
    runShortTransaction(db, async (tx) => (await lockFirst(tx)) && insert(name)),
  )
  expect(await Promise.all(created)).toEqual(['a', 'b', 'c', 'd'])
  expect(await names()).toEqual(['a', 'b', 'c', 'd', 'first'])
})

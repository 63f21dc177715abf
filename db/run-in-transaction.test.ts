import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { connect, type Database } from './connect'
import { runInTransaction } from './run-in-transaction'

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await emptyTestDatabase()
  ;({ db } = database)
  await db.sql`create table numbers (n int primary key)`
})
afterAll(() => database.drop())
beforeEach(async () => void (await db.sql`truncate numbers`))

const numbers = async (where: Database = db) => {
  const rows = await where.sql<{ n: number }[]>`select n from numbers order by n`
  return rows.map(({ n }) => n)
}
const add = ({ sql }: Pick<Database, 'sql'>, ...all: number[]) =>
  sql.unsafe(`insert into numbers select unnest($1::int[])`, [`{${all}}`])

const run = <T>(work: (within: Database) => Promise<T>) => runInTransaction(db, ({ undoable }) => undoable(work))

describe('in one transaction', () => {
  test('all comes to be at the end, and is seen from within before', async () => {
    const seen = await run(async (within) => {
      await add(within, 1)
      await within.sql.begin((tx) => tx`insert into numbers values (2)`)
      expect(await numbers()).toEqual([])
      return numbers(within)
    })
    expect([seen, await numbers()]).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  test('nothing is left when the work throws', async () => {
    const working = run(async (within) => {
      await add(within, 1)
      throw new Error('changed my mind')
    })
    await expect(working).rejects.toThrow('changed my mind')
    expect(await numbers()).toEqual([])
  })

  test('what one step wrote is undone when it throws, and the rest stays', async () => {
    await runInTransaction(db, async ({ tx, undoable }) => {
      await tx`insert into numbers values (1)`
      await undoable(async (within) => {
        await add(within, 2)
        throw new Error('no')
      }).catch(() => {})
      await tx`insert into numbers values (3)`
    })
    expect(await numbers()).toEqual([1, 3])
  })

  test('a statement that fails undoes only itself', async () => {
    await run(async (within) => {
      await add(within, 1)
      await expect(add(within, 2, 1)).rejects.toThrow('duplicate key')
      await expect(within.sql`select nonsense`.values()).rejects.toThrow('nonsense')
      await add(within, 3)
    })
    expect(await numbers()).toEqual([1, 3])
  })

  test('a transaction that fails undoes only itself', async () => {
    await run(async (within) => {
      const failing = within.sql.begin('isolation level read committed', async (tx) => {
        await tx`insert into numbers values (1)`
        await tx`insert into numbers values (1)`
      })
      await expect(failing).rejects.toThrow('duplicate key')
      await within.sql.begin(async (tx) => {
        await tx`insert into numbers values (2)`
        await tx.savepoint((inner) => inner`insert into numbers values (2)`).catch(() => {})
      })
    })
    expect(await numbers()).toEqual([2])
  })

  test('many at once take their turns', async () => {
    await run(async (within) => {
      const odd = [1, 3, 5, 7].map((n) => within.sql.begin((tx) => tx`insert into numbers values (${n})`))
      const even = [2, 4, 6, 8].map((n) => add(within, n))
      const failing = [add(within, 9, 9), within.sql`select 1/0`].map((each) => each.catch(() => 'failed'))
      await Promise.all([...odd, ...even])
      expect(await Promise.all(failing)).toEqual(['failed', 'failed'])
    })
    expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('one begun inside another is a part of it', async () => {
    await run(async (within) => {
      await within.sql.begin(async () => {
        await within.sql.begin(async (tx) => tx`insert into numbers values (1)`)
        await add(within, 2)
      })
    })
    expect(await numbers()).toEqual([1, 2])
  })

  test('the interface is the same: parts of statements, names, rows as arrays, the query builder', async () => {
    await run(async (within) => {
      const { sql } = within
      await add(within, 1, 2)
      const part = sql`n > ${1}`
      expect(await sql`select n from ${sql('numbers')} where ${part}`).toMatchObject([{ n: 2 }])
      expect(Array.from(await sql.unsafe('select n from numbers order by n').values())).toEqual([[1], [2]])
      const built = within.control.selectNoFrom((eb) => eb.val('x').as('x'))
      expect(await built.execute()).toEqual([{ x: 'x' }])
      expect(await sql`insert into numbers values (3)`).toMatchObject({ count: 1, command: 'INSERT' })
    })
  })

  test('a notification is heard at once, unless it is a statement of its own', async () => {
    const heard: string[] = []
    const first = Promise.withResolvers<void>()
    const third = Promise.withResolvers<void>()
    const listener = await db.sql.listen('relata_test', (payload) => {
      heard.push(payload)
      first.resolve()
      if (heard.length === 3) third.resolve()
    })
    await run(async (within) => {
      await within.sql`select pg_notify('relata_test', 'later')`
      await within.sql.notify('relata_test', 'now')
      await first.promise
      expect(heard).toEqual(['now'])
    })
    await db.sql.notify('relata_test', 'last')
    await third.promise
    expect(heard.toSorted()).toEqual(['last', 'later', 'now'])
    await listener.unlisten()
  })
})

describe('connections', () => {
  test('go back to the pool, whatever came of the work', async () => {
    const works = Array.from({ length: 40 }, (_, n) =>
      run(async (within) => {
        await add(within, n)
        if (n % 2 === 1) throw new Error('odd')
      }).catch(() => {}),
    )
    await Promise.all(works)
    expect(await numbers()).toEqual(Array.from({ length: 20 }, (_, n) => 2 * n))
  })

  test('one that breaks undoes the work', async () => {
    const other = connect(database.url, { max: 2 })
    const broken = runInTransaction(other, ({ undoable }) =>
      undoable(async (within) => {
        await add(within, 1)
        const [row] = await within.sql<{ pid: number }[]>`select pg_backend_pid() as pid`
        await db.sql`select pg_terminate_backend(${row?.pid ?? 0})`
        await add(within, 2)
      }),
    )
    await expect(broken).rejects.toThrow()
    await other.close()
    expect(await numbers()).toEqual([])
  })
})

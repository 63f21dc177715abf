/** A service with many records, in which a test runs the index worker, for tests of indexes. */

import { expect } from 'bun:test'
import { getAttribute, getObject } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { createIndexAdvisor } from '#engine/indexes/advisor'
import { createIndexWorker, type IndexWorker } from '#engine/indexes/worker'
import { seedThings } from './many-things'
import { testService, type TestService } from './service'

type IndexRows = readonly Readonly<Record<string, unknown>>[]

/** The SQL of a value, for the column of an attribute and a member of its values. */
type ColumnValue = readonly [attribute: string, member: string, sql: string]

export interface IndexTest {
  readonly service: TestService
  readonly worker: IndexWorker
  /** The table of the object `things`. */
  readonly table: string
  /**
   * Writes values of all records, and vacuums the table. The SQL of a value may contain `n`, the number of its record in the order of
   * creation, from 1.
   */
  setValues(valuesOf: (things: ObjectType) => readonly ColumnValue[]): Promise<void>
  /** Sends the query as often as it takes to request an index. Returns the ids of the records. */
  ask(body: object, object?: string): Promise<string[]>
  /** Builds all requested indexes and returns their names. */
  buildAll(): Promise<string[]>
  /** Returns the rows of `relata.indexes` for indexes on one column. */
  rows(): Promise<IndexRows>
  /** Returns those for indexes over several columns. */
  compositeRows(): Promise<IndexRows>
  /** Drops all indexes that were built. */
  forget(): Promise<void>
  reloadModel(): Promise<DataModel>
}

const RECORDS = 3000

export async function startIndexTest(): Promise<IndexTest> {
  const service = await testService({}, (db, now) => ({
    indexes: createIndexAdvisor({ db, now, fromRows: RECORDS / 2 }),
  }))
  const { db, url, appContext, workspaceId } = service
  const worker = createIndexWorker({ db, url, now: appContext.now, unusedDays: 30 })
  await seedThings(service, RECORDS)
  const reloadModel = () => appContext.models.reload(workspaceId)

  const rows: IndexTest['rows'] = async () => [
    ...(await db.sql`select * from relata.indexes where kind not in ('composite', 'partial', 'covering') order by name`),
  ]
  const compositeRows: IndexTest['compositeRows'] = async () => [
    ...(await db.sql`select * from relata.indexes where kind in ('composite', 'partial', 'covering') order by kind, name`),
  ]

  const setValues: IndexTest['setValues'] = async (valuesOf) => {
    const things = getObject(await reloadModel(), 'things')
    const assignments = valuesOf(things).map(
      ([slug, member, sql]) => `a_${getAttribute(things, slug).number}_${member} = ${sql}`,
    )
    await db.sql.unsafe(`
      update ${things.table} t set ${assignments.join(', ')}
      from (select id, row_number() over (order by created_at, id) as n from ${things.table}) numbered
      where numbered.id = t.id`)
    await db.sql.unsafe(`vacuum analyze ${things.table}`)
  }

  async function buildAll(): Promise<string[]> {
    const name = await worker.buildNext()
    return name === undefined ? [] : [name, ...(await buildAll())]
  }

  async function ask(body: object, object = 'things'): Promise<string[]> {
    const path = `/v2/objects/${object}/records/query`
    const [first] = await Promise.all([1, 2, 3].map(() => service.request('POST', path, body)))
    await appContext.indexes.flush()
    expect(first?.status).toBe(200)
    return first?.body.data.map((record: { id: { record_id: string } }) => record.id.record_id)
  }

  async function forget(): Promise<void> {
    for (const { name } of [...(await rows()), ...(await compositeRows())])
      await db.sql.unsafe(`drop index if exists w_1."${name}"`)
    await db.sql`delete from relata.indexes`
    await reloadModel()
  }

  const { table } = getObject(await reloadModel(), 'things')
  return { service, worker, table, setValues, ask, buildAll, rows, compositeRows, forget, reloadModel }
}

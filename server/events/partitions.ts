/** Tables that grow without bound are kept by the day, and expire by the day. Design 9. */

import type { Database, Transaction } from '../../db/connect'
import type { Clock, Micros } from '../timing/clock'

/** A table partitioned by a timestamp, and for how many days its rows are kept. */
export interface ExpiringTable {
  /** In schema relata. */
  readonly table: string
  readonly days: number
}

const DAY_MICROS = 86_400_000_000
const DAYS_AHEAD = 3
const LOCK = 0x72_65_6c_70 // any number that nothing else locks

/** Makes the partitions of today and the days after, and drops those whose days are over. Any process may, at any time. */
export async function maintainPartitions(db: Database, now: Clock, tables: readonly ExpiringTable[]): Promise<void> {
  for (const expiring of tables) await keepTable(db, now(), expiring)
}

async function keepTable(db: Database, now: Micros, expiring: ExpiringTable): Promise<void> {
  await db.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    // Readers and writers must not queue up behind us; the next round tries again.
    await tx`set local lock_timeout = '2s'`
    const { table, days } = expiring
    const found = await tx<{ name: string; key: string }[]>`
      select c.relname as name, pg_get_partkeydef(i.inhparent) as key
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${`relata.${table}`}::regclass`
    const names = new Set(found.map(({ name }) => name))
    const [, key = ''] = /^RANGE \((\w+)\)$/.exec(found[0]?.key ?? '') ?? []
    for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
      const at = now + ahead * DAY_MICROS
      if (!names.has(partitionOf(table, dayOf(at)))) await makePartition(tx, table, key, at)
    }
    await dropBefore(tx, { table, key, names, day: dayOf(now - days * DAY_MICROS) })
  })
}

/** Takes over what came on its day before there was a partition for it, and locks nobody out while it does. */
async function makePartition(tx: Transaction, table: string, key: string, at: Micros): Promise<void> {
  const [day, after] = [dayOf(at), dayOf(at + DAY_MICROS)]
  const partition = `relata.${partitionOf(table, day)}`
  await tx.unsafe(`create table ${partition} (like relata.${table} including all)`)
  await tx.unsafe(
    `with moved as (delete from relata.${table}_default where ${key} >= '${day}' and ${key} < '${after}' returning *)
     insert into ${partition} select * from moved`,
  )
  await tx.unsafe(
    `alter table relata.${table} attach partition ${partition} for values from ('${day}') to ('${after}')`,
  )
}

interface Dropping {
  readonly table: string
  readonly key: string
  readonly names: ReadonlySet<string>
  readonly day: string
}

async function dropBefore(tx: Transaction, { table, key, names, day }: Dropping): Promise<void> {
  const oldest = partitionOf(table, day)
  const over = [...names].filter((name) => !name.endsWith('_default') && name < oldest)
  for (const name of over) await tx.unsafe(`drop table relata.${name}`)
  const left = await tx.unsafe(`delete from relata.${table}_default where ${key} < '${day}'`)
  if (over.length === 0 && left.count === 0) return
  await tx`
    insert into relata.kept_since (table_name, since) values (${table}, ${day})
    on conflict (table_name) do update set since = excluded.since`
}

const dayOf = (micros: Micros): string => new Date(micros / 1000).toISOString().slice(0, 10)

/** `events_2026_11_21`: in the order of their days. */
const partitionOf = (table: string, day: string): string => `${table}_${day.replaceAll('-', '_')}`

/** Maintains the daily partitions of tables whose rows expire. */

import type { Database, Transaction } from '#db/connect'
import type { Clock, Micros } from '#base/timing/clock'

/** A table that is partitioned by a timestamp, and the number of days after which its rows expire. */
export interface ExpiringTable {
  /** The table's name in the schema `relata`. */
  readonly table: string
  readonly days: number
}

const DAY_MICROS = 86_400_000_000
const DAYS_AHEAD = 3
const LOCK = 0x72_65_6c_70 // a number that no other code locks

/** Creates the partitions of today and the next days, and drops expired ones. Several processes may call it at the same time. */
export async function maintainPartitions(db: Database, now: Clock, tables: readonly ExpiringTable[]): Promise<void> {
  for (const expiring of tables) await maintainTable(db, now(), expiring)
}

async function maintainTable(db: Database, now: Micros, expiring: ExpiringTable): Promise<void> {
  await db.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    // Other statements wait behind this lock request, so it gives up soon. The next call tries again.
    await tx`set local lock_timeout = '2s'`
    const { table, days } = expiring
    const found = await tx<{ name: string; key: string }[]>`
      select c.relname as name, pg_get_partkeydef(i.inhparent) as key
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${`relata.${table}`}::regclass`
    const names = new Set(found.map(({ name }) => name))
    const [, key = ''] = /^RANGE \((\w+)\)$/.exec(found[0]?.key ?? '') ?? []
    for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
      const at = now + ahead * DAY_MICROS
      if (!names.has(partitionOf(table, dayOf(at)))) await createPartition(tx, table, key, at)
    }
    await dropExpired(tx, { table, key, names, day: dayOf(now - days * DAY_MICROS) })
  })
}

/** Moves the rows of the day out of the default partition first. Attaching the partition then needs only a weak lock. */
async function createPartition(tx: Transaction, table: string, key: string, at: Micros): Promise<void> {
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

interface Expired {
  readonly table: string
  readonly key: string
  readonly names: ReadonlySet<string>
  readonly day: string
}

async function dropExpired(tx: Transaction, { table, key, names, day }: Expired): Promise<void> {
  const oldest = partitionOf(table, day)
  const expired = [...names].filter((name) => !name.endsWith('_default') && name < oldest)
  for (const name of expired) await tx.unsafe(`drop table relata.${name}`)
  const deleted = await tx.unsafe(`delete from relata.${table}_default where ${key} < '${day}'`)
  if (expired.length === 0 && deleted.count === 0) return
  await tx`
    insert into relata.kept_since (table_name, since) values (${table}, ${day})
    on conflict (table_name) do update set since = excluded.since`
}

const dayOf = (micros: Micros): string => new Date(micros / 1000).toISOString().slice(0, 10)

/** `events_2026_11_21`; the names sort in the order of the days. */
const partitionOf = (table: string, day: string): string => `${table}_${day.replaceAll('-', '_')}`

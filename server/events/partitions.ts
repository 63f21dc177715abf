/** Tables that grow without bound are kept by the day, and expire by the day. Design 9. */

import type { Database } from '../../db/connect'
import type { Clock, Micros } from '../time'

/** A table partitioned by a timestamp, and for how many days its rows are kept. */
export interface Expiring {
  /** In schema relata. */
  readonly table: string
  readonly days: number
}

const DAY_MICROS = 86_400_000_000
const DAYS_AHEAD = 3
const LOCK = 0x72_65_6c_70 // any number that nothing else locks

/** Makes the partitions of today and the days after, and drops those whose days are over. Any process may, at any time. */
export async function keepPartitions(db: Database, now: Clock, tables: readonly Expiring[]): Promise<void> {
  for (const expiring of tables) await keepTable(db, now(), expiring)
}

async function keepTable(db: Database, now: Micros, { table, days }: Expiring): Promise<void> {
  await db.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    // Readers and writers must not queue up behind us; the next round tries again.
    await tx`set local lock_timeout = '2s'`
    const found = await tx<{ name: string }[]>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = ${`relata.${table}`}::regclass`
    const names = new Set(found.map(({ name }) => name))
    for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
      const day = dayOf(now + ahead * DAY_MICROS)
      if (names.has(partitionOf(table, day))) continue
      const after = dayOf(now + (ahead + 1) * DAY_MICROS)
      await tx.unsafe(
        `create table relata.${partitionOf(table, day)} partition of relata.${table} for values from ('${day}') to ('${after}')`,
      )
    }
    const oldest = partitionOf(table, dayOf(now - days * DAY_MICROS))
    const over = [...names].filter((name) => !name.endsWith('_default') && name < oldest)
    if (over.length === 0) return
    for (const name of over) await tx.unsafe(`drop table relata.${name}`)
    await tx`
      insert into relata.kept_since (table_name, since) values (${table}, ${dayOf(now - days * DAY_MICROS)})
      on conflict (table_name) do update set since = excluded.since`
  })
}

const dayOf = (micros: Micros): string => new Date(micros / 1000).toISOString().slice(0, 10)

/** `events_2026_11_21`: in the order of their days. */
const partitionOf = (table: string, day: string): string => `${table}_${day.replaceAll('-', '_')}`

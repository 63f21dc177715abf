/**
 * Reads the oldest writes of the outboxes of workspaces and of the control tables' outbox. All of them are read in one snapshot: a write
 * that began after another one was committed is never read without the other one. See docs/decisions/events.md.
 */

import type { Database, Transaction } from '#db/connect'
import { workspaceSchemaName } from '#engine/data-model/names'
import { microsFromPostgres } from '#base/timing/clock'
import { createLru } from '#base/caching/caching'
import { settleAll } from '#base/timing/wait'

/** A row of an outbox. */
export interface OutboxWrite {
  readonly id: string
  readonly workspace_id: string
  /** As PostgreSQL prints it. */
  readonly occurred_at: string
  readonly actor: number
  readonly events: string
}

interface Row extends OutboxWrite {
  readonly size: number
}

/** The writes that are read from one outbox, in the order of their ids. */
interface Read {
  readonly rows: readonly Row[]
  /** Whether the outbox may have further rows. */
  readonly isCut: boolean
}

export interface OutboxesRead {
  /** Those of a workspace follow each other in the order in which they happened. */
  readonly writes: readonly OutboxWrite[]
  /** The ids of the rows by the table that has them. */
  readonly idsByTable: ReadonlyMap<string, readonly string[]>
  /** The workspaces that have further writes. */
  readonly unfinished: readonly string[]
}

/** The number of writes that are read from the outbox of the control tables, and from those of all workspaces together. */
export const MAX_BATCH = 500
const MAX_BATCH_BYTES = 500_000
/** At least as much is read from each outbox, however many there are. */
const MIN_SHARE = { rows: 5, bytes: 10_000 }
/** More outboxes are read by one statement. */
export const MAX_SINGLE_OUTBOXES = 20

const CONTROL_OUTBOX = 'relata.outbox'

export interface ControlWrites {
  /** The workspaces with the oldest writes in the outbox of the control tables. */
  readonly workspaceIds: readonly string[]
  /** Whether other workspaces may have writes there as well. */
  readonly isCut: boolean
}

export async function findControlWrites(tx: Transaction, except: readonly string[]): Promise<ControlWrites> {
  const rows = await tx<{ workspace_id: string; writes: number }[]>`
    select workspace_id, count(*)::int as writes from (
      select workspace_id from relata.outbox where workspace_id <> all(${except}::uuid[]) order by id limit ${MAX_BATCH}) oldest
    group by 1`.execute() // now, in its order
  const count = rows.reduce((sum, { writes }) => sum + writes, 0)
  return { workspaceIds: rows.map(({ workspace_id }) => workspace_id), isCut: count === MAX_BATCH }
}

/** Reads the outboxes of these workspaces and that of the control tables in one snapshot. */
export async function readOutboxes(
  db: Database,
  workspaceIds: readonly string[],
  numbers: ReadonlyMap<string, number>,
): Promise<OutboxesRead> {
  const outboxes = outboxesOf(workspaceIds, numbers)
  const [control = NONE, ...own] = await inSnapshot(db, (tx) => [
    readControl(tx, workspaceIds),
    ...readEach(tx, outboxes),
  ])
  return mergeReads(outboxes, own, control)
}

/** Outboxes of workspaces with what was read of each. */
interface OwnReads {
  readonly outboxes: readonly Outbox[]
  readonly reads: readonly Read[]
}

/**
 * Reads the outboxes of these workspaces. Of a workspace without a write in the outbox of the control tables after that, the result is the same
 * as that of `readOutboxes`.
 */
export async function readOwnOutboxes(
  tx: Transaction,
  workspaceIds: readonly string[],
  numbers: ReadonlyMap<string, number>,
): Promise<OwnReads> {
  const outboxes = outboxesOf(workspaceIds, numbers)
  const reads = readEach(tx, outboxes)
  await settleAll(reads)
  return { outboxes, reads: await Promise.all(reads) }
}

/** The writes of those of the workspaces. */
export function joinReads({ outboxes, reads }: OwnReads, workspaceIds: readonly string[]): OutboxesRead {
  if (workspaceIds.length === outboxes.length) return mergeReads(outboxes, reads, NONE)
  const wanted = new Set(workspaceIds)
  const isWanted = (index: number) => wanted.has(outboxes[index]?.id ?? '')
  return mergeReads(
    outboxes.filter((_, index) => isWanted(index)),
    reads.filter((_, index) => isWanted(index)),
    NONE,
  )
}

interface TakenRow extends Omit<Row, 'workspace_id'> {
  readonly number: number
}

/**
 * Reads and deletes the writes of many outboxes in one statement. Their texts, one for each workspace, would take longer than their rows.
 * With a write in the outbox of the control tables after that, the transaction has to be rolled back.
 */
export async function takeOwnOutboxes(
  tx: Transaction,
  workspaceIds: readonly string[],
  numbers: ReadonlyMap<string, number>,
): Promise<OutboxesRead> {
  const idByNumber = new Map(
    workspaceIds.flatMap((id) => (numbers.has(id) ? [[numbers.get(id) ?? 0, id] as const] : [])),
  )
  const rows = await tx<TakenRow[]>`
    select * from relata.take_outbox_writes(${`{${[...idByNumber.keys()].join(',')}}`}::int[], ${MIN_SHARE.rows}, ${MAX_BATCH_BYTES})`.execute()
  const writes = rows.map(({ number, ...write }) => ({ ...write, workspace_id: idByNumber.get(number) ?? '' }))
  const counts = new Map<string, number>()
  for (const { workspace_id } of writes) counts.set(workspace_id, (counts.get(workspace_id) ?? 0) + 1)
  const isCut = rows.reduce((sum, { size }) => sum + size, 0) >= MAX_BATCH_BYTES
  const lastTaken = [...idByNumber.values()].indexOf(writes.at(-1)?.workspace_id ?? '')
  const unfinished = [...idByNumber.values()].filter(
    (id, index) => counts.get(id) === MIN_SHARE.rows || (isCut && index > lastTaken),
  )
  return { writes, idsByTable: new Map(), unfinished }
}

/** The outbox of a workspace. */
interface Outbox {
  readonly id: string
  readonly table: string
}

/** Leaves out workspaces without a number. */
const outboxesOf = (workspaceIds: readonly string[], numbers: ReadonlyMap<string, number>): Outbox[] =>
  workspaceIds.flatMap((id) => {
    const number = numbers.get(id)
    return number === undefined ? [] : [{ id, table: `${workspaceSchemaName(number)}.outbox` }]
  })

const readEach = (tx: Transaction, outboxes: readonly Outbox[]): Promise<Read>[] =>
  outboxes.map(({ id, table }) => readOwn(tx, id, table, outboxes.length))

function mergeReads(outboxes: readonly Outbox[], own: readonly Read[], control: Read): OutboxesRead {
  const idsByTable = new Map<string, string[]>([[CONTROL_OUTBOX, []]])
  const unfinished: string[] = []
  const writes: OutboxWrite[] = []
  for (const [index, { id, table }] of outboxes.entries()) {
    const read = own[index] ?? NONE
    const merged = merge(ofWorkspace(control, id), read)
    writes.push(...merged.writes)
    idsByTable.get(CONTROL_OUTBOX)?.push(...merged.controlIds)
    idsByTable.set(table, merged.ownIds)
    if (control.isCut || read.isCut || merged.ownIds.length < read.rows.length) unfinished.push(id)
  }
  const known = new Set(outboxes.map(({ id }) => id))
  const others = control.rows.filter(({ workspace_id }) => !known.has(workspace_id))
  writes.push(...others)
  idsByTable.get(CONTROL_OUTBOX)?.push(...idsOf(others))
  return { writes, idsByTable, unfinished }
}

export async function deleteWrites(tx: Transaction, idsByTable: OutboxesRead['idsByTable']): Promise<void> {
  const deletions = [...idsByTable].filter(([, ids]) => ids.length > 0)
  await settleAll(
    deletions.map(([table, ids]) => {
      const text = `delete from ${table} where id = any($1::bigint[])`
      return tx.unsafe(text, [`{${ids.join(',')}}`], { prepare: isPrepared(deletions.length) }).execute()
    }),
  )
}

const NONE: Read = { rows: [], isCut: false }

/** `source` selects the rows with the columns of `OutboxWrite`; `$1` limits their number and `$2` their size. */
const oldestOf = (source: string): string => `
  select id, workspace_id, occurred_at, actor, events, size from (
    select *, sum(size) over (order by id) - size as before
    from (select *, pg_column_size(events) as size from ${source} order by id limit $1) oldest
  ) sized where before < $2 order by id`

const READ_CONTROL = oldestOf(`${CONTROL_OUTBOX} where workspace_id = any($3::uuid[])`)

const readControl = (tx: Transaction, workspaceIds: readonly string[]): Promise<Read> =>
  read(tx, READ_CONTROL, { rows: MAX_BATCH, bytes: MAX_BATCH_BYTES }, [`{${workspaceIds.join(',')}}`])

const readOwn = (tx: Transaction, workspaceId: string, table: string, share: number): Promise<Read> =>
  read(
    tx,
    oldestOf(`(select id, '${workspaceId}'::uuid as workspace_id, occurred_at, actor, events from ${table}) own`),
    {
      rows: Math.max(Math.ceil(MAX_BATCH / share), MIN_SHARE.rows),
      bytes: Math.max(Math.ceil(MAX_BATCH_BYTES / share), MIN_SHARE.bytes),
    },
    [],
    isPrepared(share),
  )

/** The texts of many workspaces would replace each other among those that a connection keeps prepared. */
const isPrepared = (outboxes: number): boolean => outboxes <= MAX_SINGLE_OUTBOXES

async function read(
  tx: Transaction,
  text: string,
  limit: { readonly rows: number; readonly bytes: number },
  further: readonly string[],
  prepare = true,
): Promise<Read> {
  // `execute` sends the statement now, in its order.
  const rows = await tx.unsafe<Row[]>(text, [limit.rows, limit.bytes, ...further], { prepare }).execute()
  const bytes = rows.reduce((sum, { size }) => sum + size, 0)
  return { rows, isCut: rows.length === limit.rows || bytes >= limit.bytes }
}

/** Sends the statements together, over the pool of look-ups, because the publisher holds a connection of the other one. */
async function inSnapshot<T>(
  { lookups }: Database,
  statements: (tx: Transaction) => readonly Promise<T>[],
): Promise<T[]> {
  const read = await lookups.begin('isolation level repeatable read read only', async (tx) => {
    const results = statements(tx)
    await settleAll(results)
    return { rows: await Promise.all(results) }
  })
  return (read as { rows: T[] }).rows // the driver's type for the callback's result is wider
}

const ofWorkspace = ({ rows, isCut }: Read, id: string): Read & { readonly latest: number } => ({
  rows: rows.filter(({ workspace_id }) => workspace_id === id),
  isCut,
  latest: latestOf(rows),
})

const timeOf = ({ occurred_at }: Row): number => microsFromPostgres(occurred_at)
const latestOf = (rows: readonly Row[]): number => Math.max(-Infinity, ...rows.map(timeOf))
const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id)

interface Merged {
  readonly writes: readonly OutboxWrite[]
  readonly controlIds: string[]
  readonly ownIds: string[]
}

/**
 * Merges the writes of a workspace from both outboxes by time; those of one outbox keep their order. When an outbox may have
 * further rows, the rows of the other one that are later than what was read of it wait for the next batch.
 */
function merge(control: Read & { readonly latest: number }, own: Read): Merged {
  const controlRows = takeUntil(control.rows, own.isCut ? latestOf(own.rows) : Infinity)
  const ownRows = takeUntil(own.rows, control.isCut ? control.latest : Infinity)
  const writes: OutboxWrite[] = []
  let next = 0
  for (const row of ownRows) {
    for (let before = controlRows[next]; before && timeOf(before) <= timeOf(row); before = controlRows[++next])
      writes.push(before)
    writes.push(row)
  }
  writes.push(...controlRows.slice(next))
  return { writes, controlIds: idsOf(controlRows), ownIds: idsOf(ownRows) }
}

function takeUntil(rows: readonly Row[], latest: number): readonly Row[] {
  const end = rows.findIndex((row) => timeOf(row) > latest)
  return end === -1 ? rows : rows.slice(0, end)
}

/** Reads the numbers of workspaces, which name their schemas. A number never changes, so a process caches it. */
const MAX_CACHED = 10_000

const cache = createLru<string, number>(MAX_CACHED)

/** Call it after a failure: a workspace may have been removed. */
export function forgetNumbers(workspaceIds: Iterable<string>): void {
  for (const id of workspaceIds) cache.delete(id)
}

/** A workspace that does not exist is absent. What was written before a deletion is published, and no webhook gets it. */
export async function readWorkspaceNumbers(
  tx: Transaction,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>()
  const missing: string[] = []
  for (const id of workspaceIds) {
    const cached = cache.get(id)
    if (cached === undefined) missing.push(id)
    else numbers.set(id, cached)
  }
  if (missing.length === 0) return numbers
  const rows = await tx<{ id: string; number: number }[]>`
    select id, number from relata.all_workspaces where id = any(${missing}::uuid[])`
  for (const { id, number } of rows) {
    cache.set(id, number)
    numbers.set(id, number)
  }
  return numbers
}

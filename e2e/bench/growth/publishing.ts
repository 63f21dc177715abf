/** Measures how many writes a second are published when they are spread over all workspaces. */

import { cpuOf } from '../measure/usage'
import { stopService } from './usage'
import { type Bench, startService } from '../processes'

/** The writes that wait at first, in all workspaces. */
const BACKLOG = 20_000
/** The writes of a second are inserted in so many parts. */
const PARTS = 10

const EVENTS = JSON.stringify([
  {
    event_type: 'record.created',
    id: { object_id: '00000000-0000-4000-8000-000000000001', record_id: '00000000-0000-4000-8000-000000000002' },
  },
])

export interface PublishingLoad {
  /** The number of services that publish. */
  readonly processes: number
  /** The writes a second that arrive after the backlog. */
  readonly rate: number
  readonly seconds: number
}

export interface Publishing {
  /** The writes of the backlog that were published in a second. */
  readonly backlog: number
  /** The processor time for each of them, of the services and of PostgreSQL, in microseconds. */
  readonly cost: number
  /** The writes a second that arrived afterwards. */
  readonly rate: number
  /** How many of these were not published after each quarter of the time. */
  readonly waiting: readonly number[]
}

/** Publishes writes that wait in all workspaces, and then writes that arrive at a constant rate. */
export async function measurePublishing(bench: Bench, load: PublishingLoad): Promise<Publishing> {
  const workspaces = await registerWriter(bench)
  const services: number[] = []
  for (let count = 0; count < load.processes; count++)
    services.push((await startService(bench, bench.url, { key: 'none' })).pid)
  const pids = [bench.postgres, ...services]
  const before = pids.map(cpuOf)
  const published = await positionOf(bench)
  const each = Math.ceil(BACKLOG / workspaces.length)
  const count = workspaces.length * each
  await insertWrites(bench, workspaces, each)
  const backlog = await rateUntil(bench, published, count)
  const cpu = pids.reduce((sum, pid, index) => sum + cpuOf(pid) - (before[index] ?? 0), 0)
  const arriving = await addWrites(bench, workspaces, load)
  for (const pid of services) await stopService(pid)
  return { backlog, cost: (cpu * 1000) / count, ...arriving }
}

/** Registers the bench as a writer of all outboxes that does not publish. Returns the numbers of the workspaces. */
async function registerWriter({ db }: Bench): Promise<number[]> {
  await db.sql`
    insert into relata.outbox_writers (workspace_id, process, is_publishing, registered_until)
    select id, 'bench', false, now() + interval '1 hour' from relata.workspaces
    on conflict (workspace_id, process) do nothing`
  const rows = await db.sql<{ number: number }[]>`select number from relata.workspaces order by number`
  return rows.map(({ number }) => number)
}

/** One statement, so that most of the processor time is left to the services. */
async function insertWrites({ db }: Bench, workspaces: readonly number[], each: number): Promise<void> {
  await db.sql.unsafe(`
    do $$ declare n int; begin
      foreach n in array array[${workspaces.join(',')}] loop
        execute format('insert into w_%s.outbox (occurred_at, actor, events) select now(), 0, %L from generate_series(1, ${each})', n, '${EVENTS}');
      end loop;
    end $$`)
}

/** The number of events that were published since the database was made. */
async function positionOf({ db }: Bench): Promise<number> {
  const [row] = await db.sql<{ position: number }[]>`
    select last_value::float8 as position from relata.event_positions`
  return row?.position ?? 0
}

/** Returns how many writes are published in a second until `count` are, from the first of them on. */
async function rateUntil(bench: Bench, before: number, count: number): Promise<number> {
  while ((await positionOf(bench)) === before) await Bun.sleep(2)
  const begun = performance.now()
  while ((await positionOf(bench)) < before + count) await Bun.sleep(10)
  return (count * 1000) / (performance.now() - begun)
}

/** Each second's writes go to the next workspaces, one to each. */
async function addWrites(
  bench: Bench,
  workspaces: readonly number[],
  { rate, seconds }: PublishingLoad,
): Promise<Pick<Publishing, 'rate' | 'waiting'>> {
  const before = await positionOf(bench)
  const waiting: number[] = []
  const begun = performance.now()
  let inserted = 0
  for (let part = 1; part <= seconds * PARTS; part++) {
    const numbers = Array.from({ length: rate / PARTS }, () => workspaces[inserted++ % workspaces.length] ?? 0)
    await insertWrites(bench, numbers, 1)
    if (part % ((seconds * PARTS) / 4) === 0) waiting.push(before + inserted - (await positionOf(bench)))
    await Bun.sleep(Math.max(0, begun + (part * 1000) / PARTS - performance.now()))
  }
  const duration = performance.now() - begun
  while ((await positionOf(bench)) < before + inserted) await Bun.sleep(50)
  return { rate: (inserted * 1000) / duration, waiting }
}

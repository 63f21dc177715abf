/**
 * Measures backups, and the removal of a large workspace, beside requests of another workspace.
 * `bun run bench:maintenance [--people 1000000] [--removed 500000] [--only backup,removal]`; docs/benchmarks.md explains the output.
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connect } from '#db/connect'
import { startS3Server } from '#testing/s3-server'
import { SECRET_KEY_SETTING } from '#testing/database'
import { bucketSettings } from '#testing/child-process'
import { makeWorkspaces } from '../growth/seed'
import { send, timeOf } from '../growth/requests'
import { createDatabase, spawnBun, startBench, startService } from '../processes'
import { makePeople } from '../seeds/multiplied-people'

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '1000000' },
    removed: { type: 'string', default: '500000' },
    only: { type: 'string', default: 'backup,removal' },
  },
})
const people = Number(values.people)
const removed = Number(values.removed)
const parts = values.only.split(',')

const PASSPHRASE = { RELATA_BACKUP_PASSPHRASE: 'correct horse battery staple' }
const QUIET_SECONDS = 10
/** Of the workspace beside the removal. */
const PEOPLE_BESIDE = 200

const bench = await startBench()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void bench.end().then(() => process.exit(1)))
}
await run().finally(bench.end)

async function run(): Promise<void> {
  if (parts.includes('backup')) await measureBackups()
  if (parts.includes('removal')) await measureRemoval()
}

// Backups: by the service, with the delay of its event loop; and by commands, with their memory.

async function measureBackups(): Promise<void> {
  await stop((await startService(bench, bench.url)).pid)
  await makePeople(bench, bench.url, people)
  await measureService('no backup', {})
  const folder = join(bench.folder, 'backups')
  await measureService('backup to a folder', { RELATA_BACKUP_TO: folder })
  const encrypted = join(bench.folder, 'encrypted')
  await measureService('encrypted, to a folder', { RELATA_BACKUP_TO: encrypted, ...PASSPHRASE })
  const s3 = await startS3Server()
  const bucket = { ...bucketSettings(s3.settings), RELATA_BACKUP_TO: `s3://${s3.settings.bucket}/bench` }
  await measureService('encrypted, to a bucket', { ...bucket, ...PASSPHRASE })
  await command('check of the folder', ['restore', folder, '--check'])
  await command('check of the encrypted folder', ['restore', encrypted, '--check'], PASSPHRASE)
  await command('check of the bucket', ['restore', bucket.RELATA_BACKUP_TO, '--check'], { ...bucket, ...PASSPHRASE })
  const target = {
    DATABASE_URL: await createDatabase(bench, 'restored'),
    RELATA_FILES_DIR: join(bench.folder, 'files'),
  }
  await command('restore of the encrypted folder', ['restore', encrypted], { ...target, ...PASSPHRASE })
  await command('backup to another folder', ['backup', join(bench.folder, 'other')])
  await s3.close()
  for (const name of ['backups', 'encrypted', 'other'])
    rmSync(join(bench.folder, name), { recursive: true, force: true })
}

/** Starts the service, which makes a backup at once when it is told where, and stops it after that. */
async function measureService(title: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const file = join(bench.folder, 'loop.json')
  const preload = `--preload ${join(import.meta.dir, 'loop-delay.ts')}`
  const own = { RELATA_METRICS: '1', BUN_OPTIONS: preload, BENCH_LOOP_FILE: file, RELATA_ON_COPY: 'move' }
  const { port, pid } = await startService(bench, bench.url, { key: 'none', settings: { ...own, ...settings } })
  await readDelays(pid, file)
  const seconds = 'RELATA_BACKUP_TO' in settings ? await backupSeconds(port) : await sleep(QUIET_SECONDS)
  const delays = await readDelays(pid, file)
  show(`${title}, ${seconds.toFixed(1)} s`, `delay of the event loop: ${quantiles(delays)}`)
  await stop(pid)
}

/** Returns the delays since the last call. */
async function readDelays(pid: number, file: string): Promise<number[]> {
  rmSync(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  while (!(await Bun.file(file).exists())) await Bun.sleep(20)
  await Bun.sleep(200)
  return (await Bun.file(file).json()) as number[] // `loop-delay.ts` wrote it
}

async function backupSeconds(port: number): Promise<number> {
  for (;;) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const found = /^relata_backup_last_duration_seconds (\S+)$/m.exec(text)?.[1]
    if (found !== undefined) return Number(found)
    await Bun.sleep(250)
  }
}

async function sleep(seconds: number): Promise<number> {
  await Bun.sleep(seconds * 1000)
  return seconds
}

async function command(
  title: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const begun = performance.now()
  const env = { ...SECRET_KEY_SETTING, DATABASE_URL: bench.url, ...settings }
  const child = spawnBun(['server/run/cli/main.ts', ...words], env)
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`relata ${words.join(' ')} failed: ${output}`)
  const memory = (child.resourceUsage()?.maxRSS ?? 0) / 1e6
  show(title, `${((performance.now() - begun) / 1000).toFixed(1)} s, ${memory.toFixed(0)} MB of memory`)
}

// The removal of a workspace, beside requests of another one.

async function measureRemoval(): Promise<void> {
  const url = await createDatabase(bench, 'removal')
  const first = await startService(bench, url)
  await stop(first.pid)
  await makePeople(bench, url, removed)
  const [key = ''] = await makeWorkspaces(url, 1)
  const { port, pid } = await startService(bench, url, { key, settings: { RELATA_ON_COPY: 'move' } })
  const ids = await createPeople(port, key)
  const isOver = sleep(QUIET_SECONDS)
  show('requests before', quantilesOf(await requestsUntil({ port, key, ids }, isOver)))
  await stop(pid)
  const env = { ...SECRET_KEY_SETTING, DATABASE_URL: url }
  await spawnBun(['server/run/cli/main.ts', 'workspace', 'delete', 'my-workspace'], env).exited
  const db = connect(url, { max: 1, applicationName: 'bench' })
  await db.sql`update relata.workspace_removals set due_at = now()`
  const again = await startService(bench, url, { key, settings: { RELATA_ON_COPY: 'move' } })
  const begun = performance.now()
  const isRemoved = async () => {
    while ((await db.sql`select from relata.workspace_removals`).length > 0) await Bun.sleep(200)
  }
  const during = await requestsUntil({ port: again.port, key, ids }, isRemoved())
  show(`requests during the removal of ${removed} people, ${since(begun)}`, quantilesOf(during))
  await db.close()
  await stop(again.pid)
}

interface Requests {
  readonly port: number
  readonly key: string
  readonly ids: readonly string[]
}

interface Times {
  readonly reads: readonly number[]
  readonly writes: readonly number[]
}

async function createPeople(port: number, key: string): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < PEOPLE_BESIDE; n++) {
    const values = { name: `Person ${n}`, email_addresses: [`person-${n}@example.com`] }
    ids.push((await send(port, key, 'POST', '/v2/objects/people/records', { data: { values } })).data.id.record_id)
  }
  return ids
}

/** One client reads and one writes, until the promise is settled. */
async function requestsUntil({ port, key, ids }: Requests, end: Promise<unknown>): Promise<Times> {
  const state = { isOver: false }
  void end.then(() => (state.isOver = true))
  const repeat = async (request: (path: string, n: number) => Promise<unknown>) => {
    const times: number[] = []
    for (let n = 0; !state.isOver; n++)
      times.push(await timeOf(() => request(`/v2/objects/people/records/${ids[n % ids.length]}`, n)))
    return times
  }
  const [reads, writes] = await Promise.all([
    repeat((path) => send(port, key, 'GET', path)),
    repeat((path, n) => send(port, key, 'PATCH', path, { data: { values: { job_title: `Title ${n}` } } })),
  ])
  await end
  return { reads, writes }
}

function quantilesOf({ reads, writes }: Times): string {
  return `reads: ${quantiles(reads)}   writes: ${quantiles(writes)}`
}

function quantiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`
}

function since(begun: number): string {
  return `${((performance.now() - begun) / 1000).toFixed(1)} s`
}

function show(title: string, figures: string): void {
  console.log(`${title.padEnd(52)} ${figures}`)
}

async function stop(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM')
  while (isRunning(pid)) await Bun.sleep(20)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

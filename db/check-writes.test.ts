/** A process whose connections lead to a standby after a failover. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chownSync, cpSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startRelay } from '#testing/relay'
import { createTemporaryFolder } from '#testing/temporary-folder'
import { until } from '#testing/until'
import { checkServer, findReadOnlyReason, leaveStandby } from './check-server'
import { connect, type Database } from './connect'
import { startEmbedded, type EmbeddedDatabase } from './embedded'

const folder = createTemporaryFolder()
const running: EmbeddedDatabase[] = []
let primary: URL
let standby: URL

async function start(dataDir: string): Promise<EmbeddedDatabase> {
  const database = await startEmbedded({ dataDir, purpose: 'service', durability: 'throw-away' })
  running.push(database)
  return database
}

beforeAll(async () => {
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')]
  await start(first).then(({ stop }) => stop())
  cpSync(first, second, { recursive: true })
  const signal = join(second, 'postgres', 'standby.signal')
  writeFileSync(signal, '')
  const { uid, gid } = statSync(join(first, 'postgres'))
  chownSync(signal, uid, gid)
  if (process.getuid?.() === 0) Bun.spawnSync(['chown', '-R', `${uid}:${gid}`, join(second, 'postgres')])
  running.length = 0
  primary = new URL((await start(first)).url)
  standby = new URL((await start(second)).url)
})
afterAll(async () => {
  for (const { stop } of running) await stop()
  rmSync(folder, { recursive: true, force: true })
})

const isOnStandby = async (db: Database) =>
  (await findReadOnlyReason(db).catch(() => undefined)) ===
  'PostgreSQL is a read-only standby; DATABASE_URL must lead to the primary server.'

test('a process leaves a standby when its address leads to the primary again, and its listeners hear of notifications', async () => {
  const relay = await startRelay(primary)
  const db = connect(relay.url, { max: 2, applicationName: 'relata failover' })
  const heard: string[] = []
  await db.sql.listen('failover', (payload) => heard.push(payload))
  await leaveStandby(db)
  expect(await isOnStandby(db)).toBe(false)

  relay.leadTo(standby)
  relay.endConnections()
  await until(() => isOnStandby(db))
  await expect(checkServer(db)).rejects.toThrow('is a read-only standby; set DATABASE_URL to the primary server.')
  relay.leadTo(primary)
  expect(await isOnStandby(db)).toBe(true)

  await leaveStandby(db)
  await until(async () => !(await isOnStandby(db)))
  await until(async () => {
    await db.sql.notify('failover', 'heard').catch(() => {})
    return heard.includes('heard')
  })
  await db.close()
  relay.endConnections()
  relay.close()
})

test('a listener that connected to a standby leaves it, also when its process no longer uses the standby', async () => {
  const relay = await startRelay(primary)
  const db = connect(relay.url, { max: 1, applicationName: 'relata listener' })
  const heard: string[] = []
  await db.sql.listen('listener', (payload) => heard.push(payload))
  const onPrimary = connect(primary.href, { max: 1 })
  const onStandby = connect(standby.href, { max: 1 })

  relay.leadTo(standby)
  relay.endConnections()
  await until(async () => {
    const listeners = await onStandby.sql`
      select from pg_stat_activity
      where application_name = 'relata listener' and state = 'idle' and query ilike 'listen%'`
    return listeners.length === 1
  })
  relay.leadTo(primary)
  await until(async () => {
    await onPrimary.sql.notify('listener', 'heard')
    return heard.includes('heard')
  })
  for (const each of [db, onPrimary, onStandby]) await each.close()
  relay.endConnections()
  relay.close()
})

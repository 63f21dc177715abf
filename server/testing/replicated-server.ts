/** A PostgreSQL server of its own and a replica of it by streaming replication, for the tests of a file. */

import { appendFileSync, chownSync, cpSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EmbeddedDatabase, startEmbedded } from '#db/embedded'
import { createTemporaryFolder } from './temporary-folder'

export interface ReplicatedServer {
  readonly primaryUrl: string
  /** The address of the same database on the replica. */
  onReplica(url: string): string
  stopReplica(): Promise<void>
  /** The replica listens where it did before. */
  startReplica(): Promise<void>
  stop(): Promise<void>
}

export async function startReplicatedServer(): Promise<ReplicatedServer> {
  const folder = createTemporaryFolder()
  const [first, second] = [join(folder, 'primary'), join(folder, 'replica')]
  const start = (dataDir: string) => startEmbedded({ dataDir, purpose: 'service', durability: 'throw-away' })
  await start(first).then(({ stop }) => stop())
  cpSync(first, second, { recursive: true })
  const primary = await start(first)
  followPrimary(join(second, 'postgres'), primary.url, statSync(join(first, 'postgres')))
  let replica: EmbeddedDatabase | undefined = await start(second)
  const { host } = new URL(replica.url)
  const stopReplica = async () => {
    await replica?.stop()
    replica = undefined
  }
  return {
    primaryUrl: primary.url,
    onReplica: (url) => Object.assign(new URL(url), { host }).href,
    stopReplica,
    async startReplica() {
      replica = await start(second)
    },
    async stop() {
      await stopReplica()
      await primary.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Makes a copied data directory that of a replica. */
function followPrimary(directory: string, primaryUrl: string, { uid, gid }: { uid: number; gid: number }): void {
  const { hostname, port, username, password } = new URL(primaryUrl)
  const signal = join(directory, 'standby.signal')
  writeFileSync(signal, '')
  chownSync(signal, uid, gid)
  appendFileSync(
    join(directory, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`,
  )
  if (process.getuid?.() === 0) Bun.spawnSync(['chown', '-R', `${uid}:${gid}`, directory])
}

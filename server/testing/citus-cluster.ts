/**
 * A throw-away cluster of Citus for tests: a coordinator and two nodes. `bun server/testing/citus-cluster.ts` prints its URL for
 * TEST_CITUS_URL, and runs until it is stopped. See docs/testing.md (Citus).
 */

import { appendFileSync, chownSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '#db/connect'
import { binariesOf, chooseSystemUser } from '#db/embedded/binaries'
import { findFreePort, isReady } from '#db/embedded/cluster'
import { createTemporaryFolder } from './temporary-folder'

/** The folder of a PostgreSQL in which Citus is installed. */
const PROGRAMS = process.env.TEST_CITUS_PROGRAMS ?? '/usr/lib/postgresql/15'

const NODES = ['coordinator', 'worker-1', 'worker-2']

/** Each database of a test has a process of Citus and its connections on every node. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  shared_preload_libraries: 'citus',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'logical',
  shared_buffers: '64MB',
  max_connections: 300,
  max_prepared_transactions: 300,
  max_worker_processes: 100,
  max_wal_senders: 20,
  max_replication_slots: 20,
  max_locks_per_transaction: 512,
  log_min_messages: 'error',
  'citus.node_conninfo': 'sslmode=disable',
}

interface Node {
  readonly url: string
  readonly port: number
  /** Ends the processes without warning. */
  kill(): Promise<void>
}

async function startNode(folder: string, name: string): Promise<Node> {
  const directory = join(folder, name)
  const runAs = chooseSystemUser(directory)
  const binaries = binariesOf(PROGRAMS, runAs)
  mkdirSync(directory, { mode: 0o700 })
  if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(directory, runAs.uid, runAs.gid)
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
  const { exitCode, output } = binaries.run('initdb', [`--pgdata=${directory}`, ...options])
  if (exitCode !== 0) throw new Error(output)
  const port = await findFreePort(0)
  const settings = Object.entries({ ...SETTINGS, port, unix_socket_directories: '' })
  appendFileSync(join(directory, 'postgresql.conf'), settings.map(([key, value]) => `${key} = '${value}'\n`).join(''))
  const child = Bun.spawn([binaries.path('postgres'), '-D', directory], {
    ...runAs,
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', Bun.file(join(folder, `${name}.log`))],
  })
  while (!isReady(directory, child.pid)) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start; see ${folder}/${name}.log.`)
    await Bun.sleep(20)
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    async kill() {
      child.kill('SIGQUIT')
      await child.exited
    },
  }
}

async function run(url: string, commands: readonly string[]): Promise<void> {
  const { sql, close } = connect(url, { max: 1 })
  for (const command of commands) await sql.unsafe(command)
  await close()
}

const folder = createTemporaryFolder()
const nodes = await Promise.all(NODES.map((name) => startNode(folder, name)))
const [coordinator, ...workers] = nodes
if (coordinator === undefined) throw new Error('The cluster has no coordinator.')
for (const { url } of nodes) await run(url, ['create extension citus'])
await run(coordinator.url, [
  `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
  ...workers.map(({ port }) => `select citus_add_node('127.0.0.1', ${port})`),
])
console.log(`TEST_CITUS_URL=${coordinator.url}`)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    await Promise.all(nodes.map((node) => node.kill()))
    rmSync(folder, { recursive: true, force: true })
    process.exit(0)
  })
}
setInterval(() => {}, 60_000)

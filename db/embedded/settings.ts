/** How the embedded PostgreSQL is tuned: for a small machine that it shares with the service. */

import { totalmem } from 'node:os'

const MB = 1024 * 1024

/** What a throw-away database may skip: it need not survive a crash. */
export type Durability = 'durable' | 'throw-away'

export function serverSettings(port: number, durability: Durability): Record<string, string> {
  const memory = availableMemory()
  const sync = durability === 'durable' ? 'on' : 'off'
  return {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    max_connections: '100',
    // Each object and list of each workspace is a table; dumping or dropping a workspace locks all of its tables.
    max_locks_per_transaction: '256',

    fsync: sync,
    synchronous_commit: sync,
    full_page_writes: sync,
    // These binaries know only pglz, which takes longer for a page than to write it.
    wal_compression: 'off',
    max_wal_size: '2GB',

    shared_buffers: `${Math.floor(Math.min(memory / 4, 1024 * MB) / MB)}MB`,
    effective_cache_size: `${Math.floor(memory / 2 / MB)}MB`,
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    random_page_cost: '1.1',
    jit: 'off',

    // Starts, stops, recoveries and what killed them; no statements, which hold people's data.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
  }
}

/** What the machine has, or the container when it is allowed less. */
function availableMemory(): number {
  const allowed = process.constrainedMemory()
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem()
}

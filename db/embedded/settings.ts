/** The settings of the embedded PostgreSQL, for a small machine that it shares with the service. */

import { totalmem } from 'node:os'

const MB = 1024 * 1024

/** A throw-away database does not sync to disk, so it does not survive a crash of the machine. */
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
    // Dumping or dropping a workspace locks all of its tables, one for each object and list.
    max_locks_per_transaction: '256',

    fsync: sync,
    synchronous_commit: sync,
    full_page_writes: sync,
    // These binaries support only pglz, which takes longer to compress a page than the disk takes to write it.
    wal_compression: 'off',
    max_wal_size: '2GB',

    shared_buffers: `${Math.floor(sharedBuffers(memory) / MB)}MB`,
    effective_cache_size: `${Math.floor(memory / 2 / MB)}MB`,
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    random_page_cost: '1.1',
    jit: 'off',

    // Logs starts, stops, recoveries and crashes. Statements contain personal data, so they are not logged.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
  }
}

const sharedBuffers = (memory: number): number => Math.min(memory / 4, 1024 * MB)

/** The programs and libraries of a process, and the shared memory beside the buffers. */
const FIXED_MEMORY = 512 * MB

/** The address space that a process of PostgreSQL may have, of which it shares the buffers with the others. */
export function memoryOfProcess(): number {
  const memory = availableMemory()
  return sharedBuffers(memory) + FIXED_MEMORY + Math.max(memory / 8, 1024 * MB)
}

/** Returns the memory of the machine, or the limit of its container. */
function availableMemory(): number {
  const allowed = process.constrainedMemory()
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem()
}

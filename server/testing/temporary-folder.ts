/** Creates the folder of a run: the data of its PostgreSQL and its reports. */

import { chmodSync, mkdtempSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux keeps the files of this folder in memory. */
const IN_MEMORY = '/dev/shm'
const TMPFS = 0x01_02_19_94

const GB = 1024 ** 3
/** The space that the data and the write-ahead log of a run need at most. Docker gives a container only 64 MB by default. */
const SPACE = 4 * GB
/** The memory for that space and for the processes of a run. */
const MEMORY = 8 * GB

/**
 * Prefers memory to a disk: a run creates hundreds of databases of about a thousand files each, and drops them. ext4 takes six
 * times as long to create a file while many others were deleted in the last seconds.
 */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(hasMemory() ? IN_MEMORY : tmpdir(), 'relata-test-'))
  chmodSync(folder, 0o755) // as root, another user runs PostgreSQL and needs access to the folder
  return folder
}

function hasMemory(): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(IN_MEMORY)
    return type === TMPFS && bavail * bsize > SPACE && freemem() > MEMORY
  } catch {
    return false // only Linux has the folder
  }
}

/** Opens files of an export. Only regular files in real folders are opened, so that no link leads out of the folder. */

import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError } from '#run/cli/command'

/** `name` is one that `format.ts` allows. Throws `DamagedExport`. */
async function openFile(folder: string, name: string): Promise<FileHandle> {
  try {
    const parent = dirname(name)
    if (parent !== '.' && !(await lstat(join(folder, parent))).isDirectory()) throw new Error(`${parent} is no folder`)
    // Opening a named pipe would wait for its writer.
    if (!(await lstat(join(folder, name))).isFile()) throw new Error('this is no regular file')
    return await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    throw new DamagedExport(name, `cannot be read: ${messageOf(error)}.`)
  }
}

/** Yields the bytes of a file, and closes it. */
export async function* readChunks(folder: string, name: string): AsyncGenerator<Uint8Array> {
  const file = await openFile(folder, name)
  try {
    // The stream's type is that of any stream; without an encoding, its chunks are bytes.
    for await (const chunk of file.createReadStream({ autoClose: false })) yield chunk as Uint8Array
  } finally {
    await file.close()
  }
}

/** The folder is not what an export wrote. The message names the file, and the line if there is one. */
export class DamagedExport extends CommandError {
  constructor(
    readonly file: string,
    problem: string,
    readonly line?: number,
  ) {
    super(`${file}${line === undefined ? '' : `, line ${line}`}: ${problem}`)
  }
}

/** The message of an error of the file system, of PostgreSQL or of a check. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Opens the files with messages that a command names. */

import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { RawMessage } from '#transfer/mail-files/raw-message'
import { readMessages } from '#transfer/mail-files/read-messages'
import { CommandError } from '#run/cli/command'

/** The messages of an mbox file, of a file with one message, or of all `.eml` and `.mbox` files in a folder. */
export async function* openMessages(path: string): AsyncGenerator<readonly RawMessage[]> {
  const files = await filesOf(path)
  for (const file of files) {
    for await (const some of readMessages(file, Bun.file(file).stream()))
      yield files.length === 1 ? some : some.map((message) => ({ ...message, file: basename(file) }))
  }
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new CommandError(`There is no file "${path}".`)
  if (!found.isDirectory()) return [path]
  const names = (await readdir(path)).filter((name) => /\.(?:eml|mbox)$/i.test(name)).toSorted()
  if (names.length === 0) throw new CommandError(`The folder "${path}" has no .eml and no .mbox files.`)
  return names.map((name) => join(path, name))
}

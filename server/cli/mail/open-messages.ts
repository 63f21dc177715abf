/** Opens the files with messages that a command names. */

import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readLines } from '../../mail-files/read-lines'
import { readMessageFile } from '../../mail-files/read-message-file'
import type { RawMessage } from '../../mail-files/raw-message'
import { splitMbox } from '../../mail-files/split-mbox'
import { CommandError } from '../command'

/** The messages of an mbox file, of a file with one message, or of all `.eml` and `.mbox` files in a folder. */
export async function* openMessages(path: string): AsyncGenerator<readonly RawMessage[]> {
  const files = await filesOf(path)
  for (const file of files) {
    const messages = isMessageFile(file) ? readOne(file) : splitMbox(linesOf(file))
    for await (const some of messages)
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

const isMessageFile = (file: string): boolean => /\.eml$/i.test(file)

async function* readOne(file: string): AsyncGenerator<readonly RawMessage[]> {
  yield [await readMessageFile(linesOf(file))]
}

const linesOf = (file: string): AsyncGenerator<Uint8Array[]> => readLines(Bun.file(file).stream())

/**
 * The state of a copy: for each item of the source, its id at the target and the hash of what was last written there. Each
 * write appends a line to the file, so that an interrupted copy continues, and a later one writes only what changed.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { CommandError } from '#run/cli/command'

interface CopiedItem {
  readonly id: string
  /** Empty when the item was not copied completely. */
  readonly hash: string
}

export interface CopyState {
  find(kind: string, sourceId: string): CopiedItem | undefined
  /** Whether an item of the target is the copy of one of the source. */
  isCopy(kind: string, id: string): boolean
  set(kind: string, sourceId: string, item: CopiedItem): void
}

interface Ends {
  readonly source: string
  readonly target: string
}

/** Throws `CommandError` when the file belongs to a copy of another workspace. */
export function openState(path: string, ends: Ends): CopyState {
  const items = new Map<string, CopiedItem>()
  const copies = new Set<string>()
  const set = (kind: string, sourceId: string, item: CopiedItem) => {
    items.set(`${kind}:${sourceId.toLowerCase()}`, item)
    copies.add(`${kind}:${item.id}`)
  }
  const header = JSON.stringify({ version: 1, ...ends })
  if (existsSync(path)) readLines(path, header, set)
  else appendFileSync(path, `${header}\n`, { mode: 0o600 })
  return {
    find: (kind, sourceId) => items.get(`${kind}:${sourceId.toLowerCase()}`),
    isCopy: (kind, id) => copies.has(`${kind}:${id}`),
    set(kind, sourceId, item) {
      set(kind, sourceId, item)
      appendFileSync(path, `${JSON.stringify([kind, sourceId, item.id, item.hash])}\n`)
    },
  }
}

function readLines(path: string, header: string, set: CopyState['set']): void {
  const text = readFileSync(path, 'utf8')
  const [first, ...lines] = text.split('\n')
  if (first !== header) throw new CommandError(`${path} is not the state of a copy between these two workspaces.`)
  for (const line of lines) {
    const [kind, sourceId, id, hash] = parseLine(line)
    if (hash !== undefined && kind !== undefined && sourceId !== undefined && id !== undefined)
      set(kind, sourceId, { id, hash })
  }
  // A process that was killed may have written a part of the last line.
  if (!text.endsWith('\n')) appendFileSync(path, '\n')
}

/** Empty for a line that was not written completely. */
function parseLine(line: string): readonly string[] {
  try {
    const cells: unknown = JSON.parse(line)
    return Array.isArray(cells) && cells.every((cell) => typeof cell === 'string') ? cells : []
  } catch {
    return []
  }
}

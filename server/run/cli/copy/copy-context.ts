import type { ApiClient } from './api/api-client'
import { csvLine } from '#base/text/csv-line'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { CommandError } from '#run/cli/command'

/** What all parts of one copy share. */
export interface CopyContext {
  readonly source: ApiClient
  readonly target: ApiClient
  readonly state: CopyState
  readonly problems: Problems
  readonly tally: Tally
  /** The id at the target of each member of the source who has the same email address there. */
  readonly members: ReadonlyMap<string, string>
}

/** Counts what became of the items of each section, such as `records of people`, and prints the progress. */

export type CopyOutcome = 'created' | 'updated' | 'unchanged' | 'not copied'

interface Tally {
  add(section: string, outcome: CopyOutcome): void
  /** Prints the final counts of a section. */
  finish(section: string): void
  readonly notCopied: number
}

const LINE_EVERY_ITEMS = 1000

export function createTally(print: (line: string) => void): Tally {
  const sections = new Map<string, Record<CopyOutcome, number>>()
  const countsOf = (section: string) =>
    sections.getOrInsertComputed(section, () => ({ created: 0, updated: 0, unchanged: 0, 'not copied': 0 }))
  const describe = (section: string) => {
    const counts = Object.entries(countsOf(section)).map(([outcome, count]) => `${count} ${outcome}`)
    return `${section}: ${counts.join(', ')}`
  }
  return {
    add(section, outcome) {
      const counts = countsOf(section)
      counts[outcome]++
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
      if (total % LINE_EVERY_ITEMS === 0) print(`${describe(section)} …`)
    },
    finish: (section) => print(describe(section)),
    get notCopied() {
      return sections.values().reduce((sum, counts) => sum + counts['not copied'], 0)
    },
  }
}

/** What could not be copied, and why. */
export interface Problems {
  readonly count: number
  /** `id` is the id or the slug at the source. */
  add(kind: string, id: string, reason: string, attribute?: string): void
  /** Forgets the problems of one item, before it is written again. */
  clear(kind: string, id: string): void
  /** Writes a CSV file. */
  write(path: string): Promise<void>
}

interface Problem {
  readonly attribute: string
  readonly reason: string
}

export function createProblems(): Problems {
  const byItem = new Map<string, Problem[]>()
  return {
    get count() {
      return byItem.values().reduce((count, problems) => count + problems.length, 0)
    },
    add(kind, id, reason, attribute = '') {
      const problem = { attribute, reason: printable(reason) }
      const problems = byItem.getOrInsertComputed(keyOf(kind, id), () => [])
      if (!problems.some((other) => other.attribute === attribute && other.reason === problem.reason))
        problems.push(problem)
    },
    clear: (kind, id) => void byItem.delete(keyOf(kind, id)),
    async write(path) {
      await Bun.write(path, '')
      const writer = Bun.file(path).writer()
      writer.write(csvLine(['kind', 'source id', 'attribute', 'reason']))
      for (const [item, problems] of byItem)
        for (const { attribute, reason } of problems) writer.write(csvLine([...item.split('\t'), attribute, reason]))
      await writer.end()
    },
  }
}

/** Ids can be texts of the source. */
const keyOf = (kind: string, id: string) => `${kind}\t${printable(id)}`

/** Removes control characters: reasons contain texts of the source. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ')

// The state of a copy: for each item of the source, its id at the target and the hash of what was last written there. Each
// write appends a line to the file, so that an interrupted copy continues, and a later one writes only what changed.

interface CopiedItem {
  readonly id: string
  /** Empty when the item was not copied completely. */
  readonly hash: string
}

interface CopyState {
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

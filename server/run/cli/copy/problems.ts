/** What could not be copied, and why. */

import { csvLine } from '#base/text/csv-line'

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

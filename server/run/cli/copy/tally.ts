/** Counts what became of the items of each section, such as `records of people`, and prints the progress. */

export type Outcome = 'created' | 'updated' | 'unchanged' | 'not copied'

export interface Tally {
  add(section: string, outcome: Outcome): void
  /** Prints the final counts of a section. */
  finish(section: string): void
  readonly notCopied: number
}

const LINE_EVERY_ITEMS = 1000

export function createTally(print: (line: string) => void): Tally {
  const sections = new Map<string, Record<Outcome, number>>()
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

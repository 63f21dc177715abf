/** Code spans for markdown-it: their text with its backticks is literal text. */

import type { MarkdownIt, StateInline } from 'markdown-it'

const BACKTICK = 0x60

export function literalCode(md: MarkdownIt): void {
  md.inline.ruler.at('backticks', (state, silent) => {
    if (state.src.charCodeAt(state.pos) !== BACKTICK) return false
    const begin = state.pos
    const end = endOfRun(state.src, begin)
    state.pos = findClosing(state, end, end - begin) ?? end
    if (!silent) state.pending += state.src.slice(begin, state.pos)
    return true
  })
}

/** The ends of all runs of backticks in a text, by length and in order. */
type Runs = ReadonlyMap<number, readonly number[]>

const runsOfText = new WeakMap<StateInline, Runs>()

/** The end of the next run of this length, within the part of the text that is being read. */
function findClosing(state: StateInline, from: number, length: number): number | undefined {
  let runs = runsOfText.get(state)
  if (!runs) runsOfText.set(state, (runs = findRuns(state.src)))
  const ends = runs.get(length) ?? []
  const end = ends[firstAfter(ends, from)]
  return end !== undefined && end <= state.posMax ? end : undefined
}

function findRuns(text: string): Runs {
  const runs = new Map<number, number[]>()
  for (let at = text.indexOf('`'); at !== -1;) {
    const end = endOfRun(text, at)
    const ends = runs.get(end - at)
    if (ends) ends.push(end)
    else runs.set(end - at, [end])
    at = text.indexOf('`', end)
  }
  return runs
}

function endOfRun(text: string, begin: number): number {
  let end = begin
  while (text.charCodeAt(end) === BACKTICK) end++
  return end
}

/** The index of the first number greater than `limit` in an ascending list. */
function firstAfter(ascending: readonly number[], limit: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? Infinity) > limit) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * No text from outside blocks the process: each function that reads text gets texts that make patterns backtrack. It must
 * finish within 50 ms of CPU time, a limit that `testing/cpu-time.ts` adapts to this machine. A function with quadratic time takes
 * seconds for the longest text. Shorter texts come first, so that a function with super-linear time fails within a second instead of
 * hanging the run.
 */

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { type AdversarialText, adversarialTexts, BARE, type Frame, FRAMED } from './adversarial-texts'
import { leastCpuTime, limitHere } from './cpu-time'
import { readersOfSchemas, TEXT_READERS, type TextReader } from './text-readers'

const LONGEST = 256_000

interface Round {
  readonly length: number
  readonly limitMs: number
  readonly frames: readonly Frame[]
  /** Only functions whose input is limited to less than the longest text. */
  readonly isOfLimited?: boolean
}

const ROUNDS: readonly Round[] = [
  { length: 1000, limitMs: 50, frames: FRAMED },
  { length: 16_000, limitMs: 50, frames: FRAMED },
  { length: 64_000, limitMs: 50, frames: FRAMED, isOfLimited: true },
  { length: LONGEST, limitMs: 50, frames: BARE },
]

const SERVER = join(import.meta.dir, '..')
const schemas = [...new Bun.Glob('api/{resources,console}/**/*schemas.ts').scanSync({ cwd: SERVER })]
const modules = await Promise.all(
  schemas.map(async (file) => [file, (await import(join(SERVER, file))) as object] as const),
)
const readers: readonly TextReader[] = [...TEXT_READERS, ...readersOfSchemas(Object.fromEntries(modules))]

test('the functions that read text include the schemas of all routes', () => expect(schemas.length).toBeGreaterThan(20))

test.each(ROUNDS)('every function that reads text takes at most $limitMs ms for $length characters', (round) => {
  const { length, frames, isOfLimited = false } = round
  const limit = limitHere(round.limitMs)
  const chosen = readers.filter(({ longest = Infinity }) => length <= longest && (!isOfLimited || longest < LONGEST))
  const slow: string[] = []
  for (const text of adversarialTexts(length, frames)) {
    for (const reader of chosen) slow.push(...slowness(reader, text, limit))
    if (slow.length > 0) break
  }
  expect(slow).toEqual([])
})

function slowness({ name, read }: TextReader, { name: what, text }: AdversarialText, limit: number): string[] {
  const took = leastCpuTime(() => attempt(() => read(text)), limit)
  return took > limit ? [`${name}: ${Math.round(took)} ms for ${what}`] : []
}

/** Runs the reader and ignores its errors. */
function attempt(read: () => unknown): void {
  try {
    const answer = read()
    if (answer instanceof Promise) answer.catch(() => {})
  } catch {
    // as above
  }
}

/**
 * No text from outside blocks the process: each function that reads text gets up to a megabyte of text that makes patterns
 * backtrack, and must finish within 50 ms of CPU time. `testing/cpu-time.ts` adapts that limit to this machine. Shorter
 * texts come first, so that a function with super-linear time fails within a second instead of hanging the run.
 */

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { type AdversarialText, adversarialTexts, LENGTH } from './adversarial-texts'
import { leastCpuTime, limitHere } from './cpu-time'
import { readersOfSchemas, TEXT_READERS, type TextReader } from './text-readers'

const LIMIT_MS = 50
/** Some readers get only the shorter texts, because their input is limited. */
const LENGTHS = [1000, 16_000, 30_000, 64_000, 256_000, LENGTH]
const OF_LIMITED = [16_000, 64_000, 256_000]

const SERVER = join(import.meta.dir, '..')
const schemas = [...new Bun.Glob('{resources,console}/**/*schemas.ts').scanSync({ cwd: SERVER })]
const modules = await Promise.all(
  schemas.map(async (file) => [file, (await import(join(SERVER, file))) as object] as const),
)
const readers: readonly TextReader[] = [...TEXT_READERS, ...readersOfSchemas(Object.fromEntries(modules))]

test('the functions that read text include the schemas of all routes', () => expect(schemas.length).toBeGreaterThan(20))

test.each(LENGTHS)('every function that reads text takes at most 50 ms for %d characters', (length) => {
  const limit = limitHere(LIMIT_MS)
  const chosen = readers.filter(
    ({ longest = LENGTH }) => length <= longest && (longest < LENGTH || !OF_LIMITED.includes(length)),
  )
  const slow: string[] = []
  for (const text of adversarialTexts(length)) {
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

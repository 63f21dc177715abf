/** The distinct words of a transcript, for its search index. See docs/reference/call-recordings.md (Search). */

import { wordsOf } from '#engine/search/words'
import type { Segment } from '#api/resources/call-recordings/schemas'

/** PostgreSQL stores at most 1 MB of lexemes for a row. Conversations have far fewer words. */
const MAX_WORDS = 20_000
const MAX_UNITS = 200_000

/** Pauses after each segment. Words beyond the limits cannot be found. */
export function* collectWords(segments: readonly Segment[]): Generator<void, string[]> {
  const words = new Set<string>()
  let units = 0
  for (const { speech, speaker } of segments) {
    for (const word of [...wordsOf(speaker.name), ...wordsOf(speech)]) {
      if (words.has(word)) continue
      units += word.length
      if (words.size === MAX_WORDS || units > MAX_UNITS) return [...words]
      words.add(word)
    }
    yield
  }
  return [...words]
}

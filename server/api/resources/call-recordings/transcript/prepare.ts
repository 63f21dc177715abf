/** Makes of the segments of a body what is stored. See docs/reference/call-recordings.md (Transcripts). */

import { invalidBody } from '#base/errors/http'
import { inSlices } from '#base/timing/in-slices'
import type { Segment } from '#api/resources/call-recordings/schemas'
import { renderRawTranscript } from './raw-transcript'
import { collectWords } from './transcript-words'

export interface PreparedTranscript {
  /** The segments of each page as a JSON array, as the API returns them. */
  readonly pages: readonly string[]
  readonly raw: string
  /** The words that a search finds. */
  readonly words: readonly string[]
}

const PAGE_SIZE = 1000

/** A meeting of ten hours has half as many. */
const MAX_CHARACTERS = 1_000_000

/** Throws 400 for a transcript that is too long. */
export function prepareTranscript(segments: readonly Segment[]): Promise<PreparedTranscript> {
  refuseTooLong(segments)
  return inSlices(prepare(segments))
}

function* prepare(segments: readonly Segment[]): Generator<void, PreparedTranscript> {
  const pages: string[] = []
  for (let at = 0; at < segments.length; at += PAGE_SIZE) {
    pages.push(JSON.stringify(segments.slice(at, at + PAGE_SIZE).map(storedSegment)))
    yield
  }
  const raw = renderRawTranscript(segments)
  yield
  return { pages, raw, words: yield* collectWords(segments) }
}

/** Without members that the API does not have. */
const storedSegment = ({ speech, start_time, end_time, speaker: { name, email_address } }: Segment): Segment => ({
  speech,
  start_time,
  end_time,
  speaker: email_address === undefined ? { name } : { name, email_address },
})

function refuseTooLong(segments: readonly Segment[]): void {
  let characters = 0
  for (const { speech, speaker } of segments) characters += speech.length + speaker.name.length
  if (characters <= MAX_CHARACTERS) return
  const message = `The speech and the names of a transcript may have at most ${MAX_CHARACTERS} characters together`
  throw invalidBody([{ code: 'invalid', path: ['data', 'transcript'], message }])
}

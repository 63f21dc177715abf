/** Makes of the segments of a body what is stored. See docs/reference/call-recordings.md (Transcripts). */

import { invalidBody } from '#base/errors/http'
import { inSlices } from '#base/timing/in-slices'
import type { Segment } from '#api/resources/call-recordings/schemas'
import { wordsOf } from '#engine/search/words'
import { sql } from 'kysely'
import { renderArray, type Sql, type Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

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

// Renders a transcript as text. See docs/reference/call-recordings.md (Transcripts).

/** Returns a line for each turn: the consecutive segments of one speaker. */
export function renderRawTranscript(segments: readonly Segment[]): string {
  const turns: { readonly first: Segment; readonly speeches: string[] }[] = []
  for (const segment of segments) {
    const turn = turns.at(-1)
    const speech = oneLine(segment.speech)
    if (turn !== undefined && isSameSpeaker(turn.first, segment)) turn.speeches.push(speech)
    else turns.push({ first: segment, speeches: [speech] })
  }
  return turns.map(({ first, speeches }) => renderTurn(first, speeches)).join('\n')
}

const isSameSpeaker = ({ speaker: one }: Segment, { speaker: other }: Segment): boolean =>
  one.name === other.name && one.email_address === other.email_address

const renderTurn = ({ start_time, speaker }: Segment, speeches: readonly string[]): string =>
  `[${minutesAndSeconds(start_time)}] ${oneLine(speaker.name)}: ${speeches.filter((speech) => speech !== '').join(' ')}`

/** A call of more than 99 minutes has minutes of three digits. */
function minutesAndSeconds(seconds: number): string {
  const whole = Math.floor(seconds)
  return [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

const LINE_BREAKS = /[\n\r\u2028\u2029]+/g

const oneLine = (text: string): string => text.replace(LINE_BREAKS, ' ').trim()

// The distinct words of a transcript, for its search index. See docs/reference/call-recordings.md (Search).

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

// The rows of transcripts.

/** Marks the transcripts of a workspace in the index of words. No word begins with a colon, so no search for a word finds it. */
export const lexemeOfWorkspace = (workspaceId: string): string => `:${workspaceId}`

export async function insertTranscript(
  tx: Transaction,
  workspaceId: string,
  recordingId: string,
  { pages, raw, words }: PreparedTranscript,
): Promise<void> {
  const lexemes = renderArray([lexemeOfWorkspace(workspaceId), ...words])
  await sql`
    insert into relata.call_recording_transcripts (workspace_id, call_recording_id, raw_transcript, lexemes)
    values (${workspaceId}, ${recordingId}, ${raw}, array_to_tsvector(${lexemes}::text[]))`.execute(
    controlQueriesIn(tx),
  )
  for (const [page, segments] of pages.entries()) {
    await sql`
      insert into relata.call_recording_transcript_pages (workspace_id, call_recording_id, page, segments)
      values (${workspaceId}, ${recordingId}, ${page}, ${segments}::text::json)`.execute(controlQueriesIn(tx))
  }
}

/** Undefined for a recording without a transcript. */
export async function findRawTranscript(
  db: Sql,
  workspaceId: string,
  recordingId: string,
): Promise<string | undefined> {
  const row = await controlQueriesIn(db)
    .selectFrom('relata.call_recording_transcripts')
    .select('raw_transcript')
    .where(equal({ workspace_id: workspaceId, call_recording_id: recordingId }))
    .executeTakeFirst()
  return row?.raw_transcript
}

/** The segments of each page as a JSON array. */
export async function listTranscriptPages(
  db: Sql,
  workspaceId: string,
  recordingId: string,
  { from, limit }: { readonly from: number; readonly limit: number } = { from: 0, limit: 4 },
): Promise<string[]> {
  const rows = await controlQueriesIn(db)
    .selectFrom('relata.call_recording_transcript_pages')
    .select(sql<string>`segments::text`.as('segments'))
    .where(equal({ workspace_id: workspaceId, call_recording_id: recordingId }))
    .where('page', '>=', from)
    .orderBy('page')
    .limit(limit)
    .execute()
  return rows.map(({ segments }) => segments)
}

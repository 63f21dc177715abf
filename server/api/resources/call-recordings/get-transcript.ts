/** Reads a transcript in pages. See docs/reference/call-recordings.md (Transcripts). */

import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { cursorsFor } from '#engine/query/run/cursor'
import { type CallRecordingPath, requireCallRecording } from './get'
import { renderCallRecording } from './render'
import type { TranscriptQuery } from './schemas'
import { findRawTranscript, listTranscriptPages } from './transcript/store'

/** The pieces of the JSON of a page. A recording without a transcript has an empty page. Throws 404. */
export const getTranscript = (
  context: ApiContext,
  path: CallRecordingPath,
  query: TranscriptQuery,
): Promise<string[]> =>
  retryOnConflict(context, async (context) => {
    const recording = await requireCallRecording(context, path)
    const { model, db, appUrl } = context
    const cursors = await cursorsFor(context, { id: `transcript of ${recording.id}` }, query)
    const [from] = query.cursor === undefined ? ['0'] : cursors.decode(query.cursor)
    const page = Number(from)
    // One more page than the answer has shows whether another one follows.
    const [pages, raw] = await Promise.all([
      listTranscriptPages(db.sql, model.workspace.id, recording.id, { from: page, limit: 2 }),
      findRawTranscript(db.sql, model.workspace.id, recording.id),
    ])
    const { id, web_url } = renderCallRecording(model, appUrl, recording)
    const next_cursor = pages.length > 1 ? cursors.encode([String(page + 1)]) : null
    const own = JSON.stringify({ id, web_url, raw_transcript: raw ?? '' }).slice(0, -1) // the transcript follows
    const pagination = JSON.stringify({ next_cursor })
    return ['{"data":', own, ',"transcript":', pages[0] ?? '[]', '},"pagination":', pagination, '}']
  })

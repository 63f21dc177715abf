/** The rows of transcripts. */

import { sql } from 'kysely'
import { renderArray, type Sql, type Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { PreparedTranscript } from './prepare'

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
    .where('workspace_id', '=', workspaceId)
    .where('call_recording_id', '=', recordingId)
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
    .where('workspace_id', '=', workspaceId)
    .where('call_recording_id', '=', recordingId)
    .where('page', '>=', from)
    .orderBy('page')
    .limit(limit)
    .execute()
  return rows.map(({ segments }) => segments)
}

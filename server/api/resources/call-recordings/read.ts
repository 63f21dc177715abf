/** Reads call recordings, their lists and their transcripts. See docs/reference/call-recordings.md. */
import { signDownload } from '#api/http/signed-downloads/sign-download'
import { readId } from '#base/errors/http'
import { callRecordingNotFound, meetingNotFound } from '#base/errors/meetings'
import type { ApiContext } from '#context'
import { viewerOf } from '#crm/mailboxes/list-emails'
import { findHiddenCalendars, isHiddenSql, readVisibility } from '#crm/meetings/visibility'
import { runOnLookupPool, runRead, type Sql } from '#db/connect'
import { getActor } from '#engine/attribute-types/actor-reference'
import { renderInstant } from '#engine/attribute-types/formats/instants'
import type { DataModel } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { cursorsFor } from '#engine/query/run/cursor'
import { wordsOf } from '#engine/search/words'
import { columnTexts, type Placeholder, selectRows, statementsByShape, typedParam } from '#engine/storage/statement'
import { extensionOf } from './fetch/video-client'
import type { CallRecordingOutput, CallRecordingsQuery, SearchCallRecordingsQuery, TranscriptQuery } from './schemas'
import { CALL_RECORDING_COLUMNS, type CallRecording, findCallRecording } from './store'
import { findRawTranscript, lexemeOfWorkspace, listTranscriptPages } from './transcript/transcript'

/** The parameters of the path of a call recording. */
export interface CallRecordingPath {
  readonly meeting_id: string
  readonly call_recording_id: string
}

/** The pieces of the JSON of the answer. Throws 404. */
export const getCallRecording = (context: ApiContext, path: CallRecordingPath): Promise<string[]> =>
  retryOnConflict(context, async (context) => {
    const recording = await requireCallRecording(context, path)
    const workspaceId = context.model.workspace.id
    const [pages, raw] = await Promise.all([
      listTranscriptPages(context.db.sql, workspaceId, recording.id),
      findRawTranscript(context.db.sql, workspaceId, recording.id),
    ])
    const { id, ...members } = renderCallRecording(context.model, context.appUrl, recording)
    const video_url = await signVideoUrl(context, recording)
    const own = JSON.stringify({ id, ...members, video_url, media_type: recording.media_type }).slice(0, -1) // without the brace, so that the transcript can follow
    return ['{"data":', own, ',"transcript":', ...renderTranscript(pages, raw), '}}']
  })

/** The stored pages are JSON arrays. */
function renderTranscript(pages: readonly string[], raw: string | undefined): string[] {
  if (raw === undefined) return ['null']
  const segments = pages.map((page) => page.slice(1, -1)).join(',')
  return ['{"segments":[', segments, '],"raw_transcript":', JSON.stringify(raw), '}']
}

/** Throws 404, also for a recording of another meeting, and 400 when an id is not a UUID. */
async function requireCallRecording(
  context: ApiContext,
  { meeting_id, call_recording_id }: CallRecordingPath,
): Promise<CallRecording> {
  const { model, db } = context
  const key = { meetingId: readId('Meeting', meeting_id), id: readId('Call recording', call_recording_id) }
  const recording = await runOnLookupPool(db, (sql) => findCallRecording(sql, model.workspace.id, key))
  const visibility = recording && (await readVisibility(db.sql, model.workspace.id, key.meetingId, viewerOf(context)))
  if (recording === undefined || visibility === 'nothing') throw callRecordingNotFound(call_recording_id)
  return recording
}

const HOUR_SECONDS = 3600

/** Returns the URL under which a client without a token can read the video for an hour. Null for a recording without a stored video. */
async function signVideoUrl(
  context: ApiContext,
  { id, blob_digest: digest, media_type }: CallRecording,
): Promise<string | null> {
  if (digest === null) return null
  const workspaceId = context.model.workspace.id
  const type = media_type ?? 'video/mp4'
  const fileName = `${id}.${extensionOf(type)}`
  const path = await signDownload(context, { workspaceId, digest, fileName, type }, HOUR_SECONDS)
  return context.appUrl + path
}

// Reads a transcript in pages. See docs/reference/call-recordings.md (Transcripts).

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

/** Lists call recordings. See docs/reference/call-recordings.md (Lists, Search). */
interface CallRecordingsPage {
  readonly data: CallRecordingOutput[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** The oldest first. Throws 404 for the meeting. */
export const listCallRecordings = (
  context: ApiContext,
  meetingId: string,
  query: CallRecordingsQuery,
): Promise<CallRecordingsPage> =>
  retryOnConflict(context, async (context) => {
    const id = readId('Meeting', meetingId)
    if ((await readVisibility(context.db.sql, context.model.workspace.id, id, viewerOf(context))) === 'nothing')
      throw meetingNotFound(meetingId)
    return pageOf(context, `call recordings of ${id}`, query, (place) => listRecordingsOfMeeting(context, id, place))
  })

/** The recordings of all meetings that the caller sees, or those of them whose transcript has all words. The newest first. */
export const searchCallRecordings = (
  context: ApiContext,
  query: SearchCallRecordingsQuery,
): Promise<CallRecordingsPage> =>
  retryOnConflict(context, async (context) => {
    const words = query.query === undefined ? undefined : wordsOf(query.query)
    const { db, model } = context
    const hidden = await runOnLookupPool(db, (on) => findHiddenCalendars(on, model.workspace.id, viewerOf(context)))
    return pageOf(context, 'call recordings', query, async (place) => {
      if (words === undefined) return listRecordings(context, { ...place, hidden })
      return words.length === 0 ? [] : searchRecordings(context, words, { ...place, hidden })
    })
  })

/** One more recording than the limit shows whether another page follows. */
async function pageOf(
  context: ApiContext,
  source: string,
  query: CallRecordingsQuery,
  read: (place: ListPlace) => Promise<readonly CallRecording[]>,
): Promise<CallRecordingsPage> {
  const { limit = 50, cursor } = query
  const cursors = await cursorsFor(context, { id: source }, query)
  const [created_at = null, id = null] = cursor === undefined ? [] : cursors.decode(cursor)
  const after = created_at === null || id === null ? undefined : { created_at, id }
  const found = await read({ after, limit: limit + 1 })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const next_cursor = last && found.length > limit ? cursors.encode([last.created_at, last.id]) : null
  const data = page.map((recording) => renderCallRecording(context.model, context.appUrl, recording))
  return { data, pagination: { next_cursor } }
}

// The statements of lists of call recordings. Each list without words reads one range of an index. A search reads
// the matches from the index of words, then their rows. `materialized` keeps PostgreSQL from reading all transcripts in their order.

/** A page: the recordings after one, in the order of the list. */
interface ListPlace {
  readonly after: Pick<CallRecording, 'created_at' | 'id'> | undefined
  readonly limit: number
  /** The connected calendars whose meetings are left out. */
  readonly hidden?: readonly string[]
}

const COLUMNS = CALL_RECORDING_COLUMNS.map((column) => `r.${column}`).join(', ')

/** The oldest first. */
const listRecordingsOfMeeting = (context: ApiContext, meeting: string, place: ListPlace) =>
  runRead(context.db, (pools) =>
    runOnLookupPool(pools, (sql) => read(sql, context, { of: 'meeting', operands: { meeting }, place })),
  )

/** The newest first. */
const listRecordings = (context: ApiContext, place: ListPlace) =>
  runRead(context.db, (pools) =>
    runOnLookupPool(pools, (sql) => read(sql, context, { of: 'workspace', operands: {}, place })),
  )

/** The recordings whose transcript has a word with each of these beginnings, the newest first. The search has the time limit of queries. */
const searchRecordings = (context: ApiContext, words: readonly string[], place: ListPlace) =>
  runRead(context.db, ({ queries }) =>
    read(queries, context, { of: 'words', operands: { query: queryOf(context, words) }, place }),
  )

interface List {
  readonly of: keyof typeof TEXTS
  /** The further parameters of the statement. */
  readonly operands: Readonly<Record<string, string>>
  readonly place: ListPlace
}

const read = (sql: Sql, { model }: ApiContext, list: List): Promise<readonly CallRecording[]> => {
  const { after, limit, hidden } = list.place
  const page = { after_time: after?.created_at, after_id: after?.id, limit, hidden }
  return selectRows<CallRecording>(
    sql,
    statementOf(list),
    columnTexts({ workspace: model.workspace.id, ...list.operands, ...page }),
  )
}

const TEXTS = {
  meeting: (param: Placeholder, place: ListPlace) => `
    select ${COLUMNS} from relata.call_recordings r
    where ${ofWorkspace(param)} and r.meeting_id = ${typedParam(param, 'meeting', 'uuid')} ${beyond(param, '>', place)}
    order by r.created_at, r.id limit ${typedParam(param, 'limit', 'bigint')}`,
  workspace: (param: Placeholder, place: ListPlace) => `
    select ${COLUMNS} from relata.call_recordings r
    where ${ofWorkspace(param)} ${isVisible(param, place)} ${beyond(param, '<', place)} ${newestFirst(param)}`,
  words: (param: Placeholder, place: ListPlace) => `
    with matches as materialized (
      select call_recording_id from relata.call_recording_transcripts
      where lexemes @@ ${typedParam(param, 'query', 'tsquery')}
    )
    select ${COLUMNS} from matches m join relata.call_recordings r on ${ofWorkspace(param)} and r.id = m.call_recording_id
    where true ${isVisible(param, place)} ${beyond(param, '<', place)} ${newestFirst(param)}`,
}

const statementOf = statementsByShape(
  ({ of, place }: List) => `${of},${place.after !== undefined},${hidesCalendars(place)}`,
  (param, { of, place }) => TEXTS[of](param, place),
)

const ofWorkspace = (param: Placeholder): string => `r.workspace_id = ${typedParam(param, 'workspace', 'uuid')}`

const hidesCalendars = ({ hidden = [] }: ListPlace): boolean => hidden.length > 0

const isVisible = (param: Placeholder, place: ListPlace): string =>
  hidesCalendars(place)
    ? `and not ${isHiddenSql(typedParam(param, 'workspace', 'uuid'), 'r.meeting_id', typedParam(param, 'hidden', 'uuid[]'))}`
    : ''

const beyond = (param: Placeholder, comparison: '<' | '>', { after }: ListPlace): string =>
  after === undefined
    ? ''
    : `and (r.created_at, r.id) ${comparison} (${typedParam(param, 'after_time', 'timestamptz')}, ${typedParam(param, 'after_id', 'uuid')})`

const newestFirst = (param: Placeholder): string =>
  `order by r.created_at desc, r.id desc limit ${typedParam(param, 'limit', 'bigint')}`

/** Words have neither quotes nor backslashes. With the lexeme of the workspace, only its transcripts are found. */
const queryOf = ({ model }: ApiContext, words: readonly string[]): string =>
  [`'${lexemeOfWorkspace(model.workspace.id)}'`, ...words.map((word) => `'${word}':*`)].join(' & ')

/** Throws `ModelVersionConflict` for an actor that is newer than the data model. */
export const renderCallRecording = (
  model: DataModel,
  appUrl: string,
  { id, meeting_id, status, created_at, created_by }: CallRecording,
): CallRecordingOutput => ({
  id: { workspace_id: model.workspace.id, meeting_id, call_recording_id: id },
  status,
  web_url: `${appUrl}/${model.workspace.slug}/meetings/${meeting_id}?recording=${id}`,
  created_by_actor: getActor(model, created_by),
  created_at: renderInstant(created_at, null),
})

/**
 * The statements of lists of call recordings. Each list without words reads one range of an index. A search reads
 * the matches from the index of words, then their rows. `materialized` keeps PostgreSQL from reading all transcripts in their order.
 */

import { type RawBuilder, sql } from 'kysely'
import type { ApiContext } from '../../context'
import { controlQueriesIn } from '../../data-model/kysely-in-transaction'
import type { CallRecording } from './call-recording'
import { CALL_RECORDING_COLUMNS } from './store'
import { lexemeOfWorkspace } from './transcript/store'

/** A page: the recordings after one, in the order of the list. */
export interface ListPlace {
  readonly after: Pick<CallRecording, 'created_at' | 'id'> | undefined
  readonly limit: number
}

const COLUMNS = sql.raw(CALL_RECORDING_COLUMNS.map((column) => `r.${column}`).join(', '))

/** The oldest first. */
export const listRecordingsOfMeeting = (context: ApiContext, meetingId: string, place: ListPlace) =>
  read(
    context,
    sql`select ${COLUMNS} from relata.call_recordings r
      where r.workspace_id = ${workspaceOf(context)} and r.meeting_id = ${meetingId} ${beyond('>', place)}
      order by r.created_at, r.id limit ${place.limit}`,
  )

/** The newest first. */
export const listRecordings = (context: ApiContext, place: ListPlace) =>
  read(
    context,
    sql`select ${COLUMNS} from relata.call_recordings r
      where r.workspace_id = ${workspaceOf(context)} ${beyond('<', place)} ${newestFirst(place)}`,
  )

/** The recordings whose transcript has a word with each of these beginnings, the newest first. */
export const searchRecordings = (context: ApiContext, words: readonly string[], place: ListPlace) =>
  read(
    context,
    sql`with matches as materialized (
        select call_recording_id from relata.call_recording_transcripts
        where lexemes @@ ${queryOf(context, words)}::tsquery
      )
      select ${COLUMNS} from matches m join relata.call_recordings r
        on r.workspace_id = ${workspaceOf(context)} and r.id = m.call_recording_id
      where true ${beyond('<', place)} ${newestFirst(place)}`,
  )

/** `db.queries` plans each statement for its operands and limits its time. */
async function read({ db }: ApiContext, statement: RawBuilder<unknown>): Promise<CallRecording[]> {
  const { rows } = await statement.execute(controlQueriesIn(db.queries))
  return rows as CallRecording[] // the statements above select these columns
}

const workspaceOf = ({ model }: ApiContext): string => model.workspace.id

const beyond = (comparison: '<' | '>', { after }: ListPlace): RawBuilder<unknown> =>
  after === undefined
    ? sql``
    : sql`and (r.created_at, r.id) ${sql.raw(comparison)} (${after.created_at}::timestamptz, ${after.id}::uuid)`

const newestFirst = ({ limit }: ListPlace): RawBuilder<unknown> =>
  sql`order by r.created_at desc, r.id desc limit ${limit}`

/** Words have neither quotes nor backslashes. With the lexeme of the workspace, only its transcripts are found. */
const queryOf = (context: ApiContext, words: readonly string[]): string =>
  [`'${lexemeOfWorkspace(workspaceOf(context))}'`, ...words.map((word) => `'${word}':*`)].join(' & ')

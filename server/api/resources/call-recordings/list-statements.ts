/**
 * The statements of lists of call recordings. Each list without words reads one range of an index. A search reads
 * the matches from the index of words, then their rows. `materialized` keeps PostgreSQL from reading all transcripts in their order.
 */

import type { Sql } from '#db/connect'
import { runOnLookupPool } from '#db/lookup-pool'
import type { ApiContext } from '#context'
import { columnTexts, type Placeholder, selectRows, statementsByShape, typedParam } from '#engine/storage/statement'
import type { CallRecording } from './call-recording'
import { CALL_RECORDING_COLUMNS } from './store'
import { lexemeOfWorkspace } from './transcript/store'

/** A page: the recordings after one, in the order of the list. */
export interface ListPlace {
  readonly after: Pick<CallRecording, 'created_at' | 'id'> | undefined
  readonly limit: number
}

const COLUMNS = CALL_RECORDING_COLUMNS.map((column) => `r.${column}`).join(', ')

/** The oldest first. */
export const listRecordingsOfMeeting = (context: ApiContext, meeting: string, place: ListPlace) =>
  runOnLookupPool(context.db, (sql) => read(sql, context, { of: 'meeting', operands: { meeting }, place }))

/** The newest first. */
export const listRecordings = (context: ApiContext, place: ListPlace) =>
  runOnLookupPool(context.db, (sql) => read(sql, context, { of: 'workspace', operands: {}, place }))

/** The recordings whose transcript has a word with each of these beginnings, the newest first. The search has the time limit of queries. */
export const searchRecordings = (context: ApiContext, words: readonly string[], place: ListPlace) =>
  read(context.db.queries, context, { of: 'words', operands: { query: queryOf(context, words) }, place })

interface List {
  readonly of: keyof typeof TEXTS
  /** The further parameters of the statement. */
  readonly operands: Readonly<Record<string, string>>
  readonly place: ListPlace
}

const read = (sql: Sql, { model }: ApiContext, list: List): Promise<readonly CallRecording[]> => {
  const { after, limit } = list.place
  const page = { after_time: after?.created_at, after_id: after?.id, limit }
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
    where ${ofWorkspace(param)} ${beyond(param, '<', place)} ${newestFirst(param)}`,
  words: (param: Placeholder, place: ListPlace) => `
    with matches as materialized (
      select call_recording_id from relata.call_recording_transcripts
      where lexemes @@ ${typedParam(param, 'query', 'tsquery')}
    )
    select ${COLUMNS} from matches m join relata.call_recordings r on ${ofWorkspace(param)} and r.id = m.call_recording_id
    where true ${beyond(param, '<', place)} ${newestFirst(param)}`,
}

const statementOf = statementsByShape(
  ({ of, place }: List) => `${of},${place.after !== undefined}`,
  (param, { of, place }) => TEXTS[of](param, place),
)

const ofWorkspace = (param: Placeholder): string => `r.workspace_id = ${typedParam(param, 'workspace', 'uuid')}`

const beyond = (param: Placeholder, comparison: '<' | '>', { after }: ListPlace): string =>
  after === undefined
    ? ''
    : `and (r.created_at, r.id) ${comparison} (${typedParam(param, 'after_time', 'timestamptz')}, ${typedParam(param, 'after_id', 'uuid')})`

const newestFirst = (param: Placeholder): string =>
  `order by r.created_at desc, r.id desc limit ${typedParam(param, 'limit', 'bigint')}`

/** Words have neither quotes nor backslashes. With the lexeme of the workspace, only its transcripts are found. */
const queryOf = ({ model }: ApiContext, words: readonly string[]): string =>
  [`'${lexemeOfWorkspace(model.workspace.id)}'`, ...words.map((word) => `'${word}':*`)].join(' & ')

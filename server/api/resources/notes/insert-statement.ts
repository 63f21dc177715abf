/** The statement that inserts a note and its change event. Decision 0086. */

import type { RequestContext } from '#context'
import { eventOriginOf } from '#engine/outbox/outbox'
import type { LastStatement } from '#engine/storage/short-transaction'
import { columnTexts, compileStatement, typedParam } from '#engine/storage/statement'
import { outboxStep, outboxTexts } from '#engine/storage/statements/outbox-step'
import { noteEvent } from './events'
import { NOTE_COLUMNS, type NoteRow } from './store'

const INSERT = compileStatement((param) => {
  const values = NOTE_COLUMNS.map((name) => param(name))
  return `with note as (
      insert into relata.notes (workspace_id, ${NOTE_COLUMNS.join(', ')})
      values (${typedParam(param, 'workspace', 'uuid')}, ${values.join(', ')}) returning id
    ), ${outboxStep(param, 'note')}
    select 1`
})

export const insertNote = (context: RequestContext, note: NoteRow): LastStatement<NoteRow> => ({
  statement: INSERT,
  texts: {
    ...columnTexts({ ...note, workspace: context.model.workspace.id }),
    ...outboxTexts({ origin: eventOriginOf(context), events: [noteEvent('note.created', note)] }),
  },
  result: note,
})

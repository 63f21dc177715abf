/** The rows of notes. `read.ts` has the statements of lists. */

import { type Selectable, sql } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import type { NotesTable } from '#db/schema'
import type { RequestContext } from '#context'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'

/** `content` is the JSON of a block document. */
export type NoteRow = Omit<Selectable<NotesTable>, 'workspace_id'>

export const NOTE_COLUMNS = [
  'id',
  'parent_object_id',
  'parent_record_id',
  'title',
  'content',
  'meeting_id',
  'created_by',
  'created_at',
  'version',
] as const satisfies readonly (keyof NoteRow)[]

/** Undefined also when the object of the note is hidden. */
export const findNoteRow = async (on: Sql, { model }: Where, id: string): Promise<NoteRow | undefined> =>
  ifVisible(
    model,
    await controlQueriesIn(on)
      .selectFrom('relata.notes')
      .select(NOTE_COLUMNS)
      .where(equal({ workspace_id: model.workspace.id, id }))
      .executeTakeFirst(),
  )

type Where = Pick<RequestContext, 'model'>

const ifVisible = <Row extends NoteRow>(model: DataModel, note: Row | undefined): Row | undefined =>
  note === undefined || isHiddenObjectId(model, note.parent_object_id) ? undefined : note

/** The note, locked until the transaction ends. `isSameContent` compares its content with `content`. */
export const lockNoteRow = async (
  tx: Transaction,
  { model }: Where,
  id: string,
  content = 'null',
): Promise<(NoteRow & { readonly isSameContent: boolean }) | undefined> =>
  ifVisible(
    model,
    await controlQueriesIn(tx)
      .selectFrom('relata.notes')
      .select(NOTE_COLUMNS)
      .select(sql<boolean>`content = ${textAsJsonb(content)}`.as('isSameContent'))
      .where(equal({ workspace_id: model.workspace.id, id }))
      .forUpdate()
      .executeTakeFirst(),
  )

/** Writes title, meeting and content, and increments the version. */
export async function updateNoteRow(tx: Transaction, { model }: RequestContext, note: NoteRow): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.notes')
    .set({ title: note.title, meeting_id: note.meeting_id, content: textAsJsonb(note.content), version: note.version })
    .where(equal({ workspace_id: model.workspace.id, id: note.id }))
    .execute()
}

export async function deleteNoteRow(tx: Transaction, { model }: RequestContext, id: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.notes')
    .where(equal({ workspace_id: model.workspace.id, id }))
    .execute()
}

/** Deletes the images of a deleted note, but for those that another note of the record shows, which becomes their note. */
export async function deleteImages(tx: Transaction, { model }: Where, note: NoteRow): Promise<void> {
  const workspaceId = model.workspace.id
  await controlQueriesIn(tx)
    .with('shown', (control) =>
      control
        .selectFrom('relata.files as f')
        .innerJoin('relata.notes as n', 'n.parent_record_id', 'f.record_id')
        .select(['f.id', sql<string>`min(n.id::text)::uuid`.as('note_id')])
        .where(equal({ 'f.workspace_id': workspaceId, 'f.note_id': note.id, 'n.workspace_id': workspaceId }))
        .where('n.id', '<>', note.id)
        .where(sql<boolean>`position(f.id::text in n.content::text) > 0`)
        .groupBy('f.id'),
    )
    .with('moved', (control) =>
      control
        .updateTable('relata.files as f')
        .from('shown')
        .set(({ ref }) => ({ note_id: ref('shown.note_id') }))
        .whereRef('f.id', '=', 'shown.id')
        .where('f.workspace_id', '=', workspaceId),
    )
    .deleteFrom('relata.files')
    .where(equal({ workspace_id: workspaceId, note_id: note.id }))
    .where('id', 'not in', ({ selectFrom }) => selectFrom('shown').select('shown.id'))
    .execute()
}

const textAsJsonb = (json: string) => sql<string>`${json}::text::jsonb`

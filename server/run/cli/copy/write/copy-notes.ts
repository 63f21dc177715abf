import { readRows } from '#run/cli/copy/api/read-rows'
import type { CopyContext } from '#run/cli/copy/copy-context'
import { isNote, type SourceNote } from '#run/cli/copy/shapes'
import type { Outcome } from '#run/cli/copy/tally'
import { writeItem } from './write-item'

/** The largest page of the list of notes. */
const PAGE = 50

export async function copyNotes(context: CopyContext): Promise<void> {
  const { source, problems, tally } = context
  const rows = readRows<SourceNote>(
    {
      kind: 'notes',
      limit: PAGE,
      isRow: isNote,
      idOf: ({ id }) => id.note_id,
      readPage: (limit, offset) => source.request('GET', `/v2/notes?limit=${limit}&offset=${offset}`),
    },
    problems,
  )
  for await (const row of rows) tally.add('notes', await copyNote(context, row))
  tally.finish('notes')
}

async function copyNote(context: CopyContext, row: SourceNote): Promise<Outcome> {
  const item = { kind: 'note', sourceId: row.id.note_id }
  const parent = context.state.find('record', row.parent_record_id)
  if (parent === undefined) {
    context.problems.add(item.kind, item.sourceId, `The record ${row.parent_record_id} has no copy.`)
    return 'not copied'
  }
  if (typeof row.meeting_id === 'string')
    context.problems.add(item.kind, item.sourceId, 'Meetings are not copied.', 'meeting_id')
  return writeItem(context, {
    ...item,
    path: '/v2/notes',
    updateMethod: 'PATCH',
    idMember: 'note_id',
    members: { title: row.title, format: 'markdown', content: row.content_markdown },
    membersOnCreate: {
      parent_object: row.parent_object,
      parent_record_id: parent.id,
      created_at: row.created_at,
    },
  })
}

/** Makes the notes that workloads of notes need: one for each person, in the service and in the floor. */

import type { Sql } from '#db/connect'
import { readPeopleTable } from './people-table'

const CONTENT = JSON.stringify([
  { heading: 2, text: 'Call' },
  '',
  [
    { text: 'They asked for an ' },
    { text: 'offer', marks: ['bold'] },
    { text: ' by ' },
    { text: 'Friday', marks: ['italic'] },
    { text: '.' },
  ],
  '',
  { item: 'bullet', indent: 0, text: 'Call back' },
])
const MARKDOWN = '## Call\n\nThey asked for an **offer** by *Friday*.\n\n- Call back'
const PLAIN_TEXT = 'Call\n\nThey asked for an offer by Friday.\n\nCall back'

/** Notes of an earlier run are kept, except those that it created through the API. */
export async function makeNotes(sql: Sql): Promise<void> {
  await sql`delete from relata.notes where title not like 'Call %'`
  const { workspaceId, objectId, table } = await readPeopleTable(sql)
  await sql.unsafe(
    `insert into relata.notes
       (workspace_id, id, parent_object_id, parent_record_id, title, content, created_by, created_at)
     select $1, gen_random_uuid(), $2, p.id, 'Call ' || p.nth, $3::text::jsonb, p.created_by, p.created_at
     from (select id, created_by, created_at, row_number() over (order by created_at, id) as nth from ${table}) p
     where not exists (select 1 from relata.notes n where n.workspace_id = $1 and n.parent_record_id = p.id)`,
    [workspaceId, objectId, CONTENT],
  )
  await sql`analyze relata.notes`
}

/** The floor stores both texts. */
export async function makeFloorNotes(sql: Sql): Promise<void> {
  await sql.unsafe(`
    drop table if exists floor.notes;
    create table floor.notes as select id, parent_record_id, title, ${literal(PLAIN_TEXT)} as content_plaintext,
      ${literal(MARKDOWN)} as content_markdown, created_by, created_at from relata.notes;
    alter table floor.notes add primary key (id);
    create index on floor.notes (created_at, id);
    create index on floor.notes (parent_record_id, created_at, id);
    analyze floor.notes;`)
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'::text`

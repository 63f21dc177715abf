/** Notes, tasks, comments, meetings, recordings, files, emails and webhooks, and by SQL what only the console creates. */

import { openMailbox } from '#crm/mailboxes/insert-emails'
import { newId } from '#base/ids'
import { callRecordingClient, manySegments } from '#testing/call-recordings'
import { commentClient, memberNamed, onEntry, onRecord } from '#testing/comments'
import { addEmails, emailFrom } from '#testing/emails'
import { fileClient } from '#testing/files'
import { meetingClient } from '#testing/meetings'
import type { TestService } from '#testing/service'
import { taskClient } from '#testing/tasks'
import { dataOf } from './data-of'
import { type FilledRecords, HOSTILE_TEXTS } from './fill-records'

export async function fillAttachments(service: TestService, records: FilledRecords): Promise<void> {
  const { ada, acme, ships, entry } = records
  const post = dataOf(service, 'POST')
  const linked_records = [{ target_object: 'people', target_record_id: ada }]
  const note = { parent_object: 'people', parent_record_id: ada, format: 'markdown' }
  for (const title of HOSTILE_TEXTS)
    await post('/notes', { ...note, title: title.slice(0, 200), content: `# ${title}` })
  const assignees = [{ referenced_actor_type: 'workspace-member', referenced_actor_id: service.member.id }]
  const task = taskClient(service)
  await task.task({ linked_records, assignees, deadline_at: '2030-01-01T00:00:00.123456789Z' })
  await task.task({ is_completed: true, content: 'Done' })
  const comments = commentClient(service)
  const { thread_id } = await comments.comment(onRecord(ada), { content: HOSTILE_TEXTS[0] })
  await comments.comment({ thread_id })
  const other = await comments.comment(onEntry('fleet', entry))
  await comments.resolve(other.id.comment_id, true)
  const meeting = await meetingClient(service).meeting({ linked_records: [{ object: 'people', record_id: ada }] })
  await callRecordingClient(service).recording(meeting, { transcript: manySegments(300) })
  await fillFiles(service, ada)
  await fillEmails(service)
  const subscriptions = [{ event_type: 'record.created', filter: null }]
  await post('/webhooks', { target_url: 'https://example.com/hook', subscriptions })
  await service.request('POST', '/v2/sequences/unsubscribed_emails', { data: { email_addresses: ['no@example.com'] } })
  await post('/notes', {
    ...note,
    parent_object: 'companies',
    parent_record_id: acme,
    title: 'Of a company',
    content: 'x',
  })
  await post('/notes', {
    ...note,
    parent_object: 'ships',
    parent_record_id: ships[0],
    title: 'Of a ship',
    content: 'x',
  })
  await fillBySql(service, { meeting, ship: ships[0] ?? '' })
}

async function fillFiles(service: TestService, record: string): Promise<void> {
  const client = fileClient(service)
  const folder = await client.folder(record, 'Papers')
  const inner = await client.folder(record, '../inner', folder)
  await client.file(record, { content: 'the same bytes', name: 'a.txt', texts: { parent_folder_id: inner } })
  await client.file(record, { content: 'the same bytes', name: 'b "2".txt' })
  await client.file(record, { content: Uint8Array.from({ length: 300_000 }, (_, at) => at % 251), name: 'c.bin' })
}

async function fillEmails(service: TestService): Promise<void> {
  await addEmails(service, [
    emailFrom('ada@acme.com', '2025-01-01T00:00:00Z', ['x@example.com'], HOSTILE_TEXTS[0]),
    emailFrom('ada@acme.com', '2025-01-02T00:00:00Z'),
  ])
}

/** Rows of the console's screens, of imports of calendars, and of sign-in. */
async function fillBySql(
  service: TestService,
  { meeting, ship }: { readonly meeting: string; readonly ship: string },
): Promise<void> {
  const { db, workspaceId, appContext } = service
  const { sql } = db
  const member = await memberNamed(service, 'Second@Example.com')
  const accounted = await memberNamed(service, 'third@example.com', 'suspended')
  const account = newId()
  const at = '2024-01-01T00:00:00.000001Z'
  await sql`insert into relata.accounts (id, email_address, password_hash, created_at) values (${account}, 'third@example.com', 'x', ${at})`
  await sql`update relata.workspace_members set account_id = ${account}, external_id = 'x-3' where id = ${accounted}`
  const model = await appContext.models.reload(workspaceId)
  const [ships] = model.entityTypes.filter(({ api_slug }) => api_slug === 'ships')
  const [fleet] = model.entityTypes.filter(({ api_slug }) => api_slug === 'fleet')
  const team = newId()
  await sql`insert into relata.teams values (${workspaceId}, ${team}, 'Captains', 'ext', ${at}, ${at})`
  await sql`insert into relata.team_members values (${workspaceId}, ${team}, ${member})`
  await sql`insert into relata.object_teams values (${workspaceId}, ${ships?.id ?? ''}, ${team}, 'read-only')`
  await sql`insert into relata.list_teams values (${workspaceId}, ${fleet?.id ?? ''}, ${team}, 'read-and-write')`
  await sql`insert into relata.list_members values (${workspaceId}, ${fleet?.id ?? ''}, ${member}, 0, 'read-only')`
  await insertViews(service, ships?.id ?? '', member, at)
  await sql`
    insert into relata.saved_queries (workspace_id, id, name, sql, member_id, created_at, updated_at)
    values (${workspaceId}, ${newId()}, 'All', 'select 1', ${member}, ${at}, ${at})`
  await sql`
    insert into relata.dashboards (workspace_id, id, title, charts, created_at, updated_at, member_id)
    values (${workspaceId}, ${newId()}, 'Shared', ${JSON.stringify(chartsOf(ships?.id ?? ''))}::text::jsonb, ${at}, ${at}, null),
      (${workspaceId}, ${newId()}, 'Personal', '[]', ${at}, ${at}, ${member})`
  await sql`
    insert into relata.email_templates (workspace_id, id, object_id, name, subject, body, unsubscribe, created_at)
    values (${workspaceId}, ${newId()}, ${ships?.id ?? ''}, 'All', 'Hello', 'Dear {{name}}', true, ${at})`
  await sql`
    insert into relata.imported_meetings (workspace_id, meeting_id, uid_hash, is_separate, sequence, changed_at, content_hash)
    values (${workspaceId}, ${meeting}, 'uid', false, 1, ${at}, 'content')`
  await sql`
    insert into relata.dismissed_duplicates
    select ${workspaceId}, '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002', number, ${at}
    from relata.actors where workspace_id = ${workspaceId} order by number limit 1`
  await sql`insert into relata.record_followers values (${workspaceId}, ${ships?.id ?? ''}, ${ship}, ${member}, ${at})`
  await sql`update relata.workspaces set default_country = 'NO' where id = ${workspaceId}`
  await sql`insert into relata.inboxes (workspace_id, member_id, sends_digest) values (${workspaceId}, ${member}, false)`
  const [blob] = await sql<{ digest: Buffer }[]>`
    select digest from relata.blobs where workspace_id = ${workspaceId} and references_count > 0 limit 1`
  await sql`
    insert into relata.record_pictures (workspace_id, object_id, record_id, blob_digest)
    values (${workspaceId}, ${ships?.id ?? ''}, ${ship}, ${blob?.digest ?? ''})`
  await sql`insert into relata.member_pictures values (${workspaceId}, ${member}, ${blob?.digest ?? ''}, 'image/png')`
  await sql`
    update relata.workspace_members set avatar_url = '/pictures/' || workspace_id || '/' || id || '/' || ${blob?.digest.toString('hex') ?? ''}
    where id = ${member}`
  const added = (await appContext.models.reload(workspaceId)).membersById.get(member)
  if (added) await openMailbox(db, workspaceId, added, appContext.now())
  await sql`
    insert into relata.notifications (workspace_id, member_id, id, kind, comment_id, actor, created_at)
    select ${workspaceId}, ${member}, ${newId()}, 'reply', id, 0, ${at} from relata.comments where workspace_id = ${workspaceId} limit 1`
}

/** A chart as it is stored. */
const chartsOf = (object: string) => [
  {
    id: newId(),
    title: 'Ships',
    kind: 'figure',
    source: { object },
    place: { column: 0, row: 0, width: 6, height: 4 },
  },
]

/** A shared view, and a personal board that its member pinned. */
async function insertViews({ db: { sql }, workspaceId }: TestService, object: string, member: string, at: string) {
  const board = newId()
  await sql`
    insert into relata.views (workspace_id, entity_type_id, id, title, type, filter, sorts, created_at)
    values (${workspaceId}, ${object}, ${newId()}, 'Wide', 'table', '{}', '[]', ${at})`
  await sql`
    insert into relata.views (workspace_id, entity_type_id, id, title, type, filter, sorts, board, created_at, member_id)
    values (${workspaceId}, ${object}, ${board}, 'By rig', 'board', '{}', '[]',
      jsonb_build_object('attribute', ${newId()}::text, 'sum_attribute', null), ${at}, ${member})`
  await sql`insert into relata.view_pins values (${workspaceId}, ${member}, ${object}, ${board}, ${at})`
}

/** Attachments of records in the trash. */

import { expect, test } from 'bun:test'
import { commentClient, memberNamed, onEntry, onRecord } from '#testing/comments'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { taskClient } from '#testing/tasks'
import { useTestService } from '#testing/use-service'
import { trashClient } from '#testing/trash'

const service = useTestService()
const trash = trashClient(service)

const data = async (path: string) => (await service.request('GET', path)).body.data
const meetingInput = (linked: readonly string[]) => ({
  title: 'Meeting',
  description: '',
  is_all_day: false,
  start: { datetime: '2025-05-05T10:00:00Z', timezone: 'UTC' },
  end: { datetime: '2025-05-05T11:00:00Z', timezone: 'UTC' },
  participants: [{ email_address: 'someone@attach.dev', is_organizer: true, status: 'accepted' }],
  linked_records: linked.map((record_id) => ({ object: 'people', record_id })),
  external_ref: crypto.randomUUID(),
})
async function meeting(linked: readonly string[]): Promise<string> {
  const { status, body } = await service.request('POST', '/v2/meetings', { data: meetingInput(linked) })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data.id.meeting_id
}
const noteInput = (parent_record_id: string, meeting_id: string | null) => ({
  data: {
    parent_object: 'people',
    parent_record_id,
    title: 'A note',
    format: 'markdown',
    content: '# Text',
    meeting_id,
  },
})

test('notes, files, threads, tasks, meetings and removed entries come back as they were', async () => {
  const [comments, files, lists] = [commentClient(service), fileClient(service), listClient(service)]
  const tasks = taskClient(service)
  const [id, other] = [await trash.create('people'), await trash.create('people')]
  const met = await meeting([id, other])
  await service.request('POST', '/v2/notes', noteInput(id, met))
  const folder = await files.folder(id)
  await files.file(id, { content: 'kept bytes', name: 'a.txt', texts: { parent_folder_id: folder } })
  const { thread_id } = await comments.comment(onRecord(id), { content: 'First' })
  await comments.comment({ thread_id }, { content: 'Second' })
  await comments.resolve((await comments.thread(thread_id)).body.data.comments[0].id.comment_id, true)
  const list = await lists.list()
  const entry = await lists.entry(list, id)
  await comments.comment(onEntry(list, entry))
  await lists.remove(list, await lists.entry(list, id))
  const linked = [id, other].map((target_record_id) => ({ target_object: 'people', target_record_id }))
  const task = await tasks.task({ linked_records: linked })
  const read = async () => [
    await data(`/v2/notes?parent_object=people&parent_record_id=${id}`),
    await data(`/v2/files?object=people&record_id=${id}`),
    await data(`/v2/threads?object=people&record_id=${id}`),
    await data(`/v2/threads?list=${list}&entry_id=${entry}`),
    await data(`/v2/tasks/${task}`),
    await data(`/v2/meetings/${met}`),
    await data(`/v2/objects/people/records/${id}/activity`),
  ]
  const before = await read()
  expect(before.slice(0, 4).map((each) => each.length)).toEqual([1, 2, 1, 1])
  await trash.remove('people', id)
  expect((await data(`/v2/tasks/${task}`)).linked_records).toHaveLength(1)
  expect((await data(`/v2/meetings/${met}`)).linked_records).toHaveLength(1)
  expect((await trash.restore('people', id)).status).toBe(200)
  expect(await read()).toEqual(before)
})

test('a notification of a mention comes back with its comment', async () => {
  const reader = await memberNamed(service, 'reader@attach.dev')
  const id = await trash.create('people')
  const count = async () =>
    (await service.db.sql`select count(*)::int as count from relata.notifications where member_id = ${reader}`)[0]
      ?.count
  await commentClient(service).comment(onRecord(id), { content: 'Dear reader@attach.dev.' })
  expect(await count()).toBe(1)
  await trash.remove('people', id)
  expect(await count()).toBe(0)
  await trash.restore('people', id)
  expect(await count()).toBe(1)
})

test('what was deleted meanwhile is left out, and changes of tasks and meetings stay', async () => {
  const tasks = taskClient(service)
  const id = await trash.create('people')
  const linked_records = [{ target_object: 'people', target_record_id: id }]
  const [kept, gone] = [await tasks.task({ linked_records }), await tasks.task({ linked_records })]
  const [met, cancelled] = [await meeting([id]), await meeting([id])]
  await service.request('POST', '/v2/notes', noteInput(id, cancelled))
  await trash.remove('people', id)
  await service.request('DELETE', `/v2/tasks/${gone}`)
  await service.db.sql`delete from relata.meetings where id = ${cancelled}`
  await service.request('PATCH', `/v2/tasks/${kept}`, { data: { is_completed: true } })
  expect((await trash.restore('people', id)).status).toBe(200)
  const task = await data(`/v2/tasks/${kept}`)
  expect([task.is_completed, task.linked_records.length]).toEqual([true, 1])
  const open = `/v2/tasks?linked_object=people&linked_record_id=${id}&is_completed=`
  expect([await data(`${open}true`), await data(`${open}false`)].map((each) => each.length)).toEqual([1, 0])
  expect((await data(`/v2/meetings/${met}`)).linked_records).toHaveLength(1)
  const [note] = await data(`/v2/notes?parent_object=people&parent_record_id=${id}`)
  expect([note.title, note.meeting_id]).toEqual(['A note', null])
})

test('the bytes of a file are kept while the record is in the trash, and not after that', async () => {
  const files = fileClient(service)
  const id = await trash.create('people')
  await files.file(id, { content: crypto.randomUUID() })
  const references = async () => {
    const [row] = await service.db.sql`
      select b.references_count from relata.blobs b order by b.references_count desc, b.unreferenced_at desc nulls last limit 1`
    return Number(row?.references_count)
  }
  await service.db.sql`delete from relata.files where record_id <> ${id}`
  expect(await references()).toBe(1)
  await trash.remove('people', id)
  expect(await references()).toBe(1)
  await trash.restore('people', id)
  expect(await references()).toBe(1)
  await trash.remove('people', id)
  await trash.purge('people', id)
  expect(await references()).toBe(0)
})

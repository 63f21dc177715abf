/** See docs/decisions/console.md (The page of a record). */

import { beforeAll, expect, test } from 'bun:test'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { meetingClient } from '#testing/meetings'
import { addSendingAccount } from '#testing/sending-account'
import { usePerson, useTestService } from '#testing/use-service'
import { MAX_COUNT } from '#api/console/counts/schemas'

const ABSENT = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
let workspace: string
let record: string
beforeAll(async () => {
  workspace = `/console/api/workspaces/${service.workspaceId}`
  record = await listClient(service).record()
})

const read = (record_id: string, object = 'people') =>
  member.ask('GET', `${workspace}/record-counts?${new URLSearchParams({ object, record_id }).toString()}`)

const note = (parent_record_id: string) =>
  service.request('POST', '/v2/notes', {
    data: { parent_object: 'people', parent_record_id, title: '', format: 'plaintext', content: '' },
  })

test('200 with the notes, meetings and files of the record, without folders', async () => {
  const files = fileClient(service)
  await note(record)
  for (const title of ['One', 'Two'])
    await meetingClient(service).meeting({ title, linked_records: [{ object: 'people', record_id: record }] })
  const folder = await files.folder(record)
  for (const parent_folder_id of [undefined, folder, folder])
    await files.file(record, { texts: parent_folder_id === undefined ? {} : { parent_folder_id } })
  expect(await read(record.toUpperCase())).toMatchObject({
    status: 200,
    body: { data: { notes: 1, meetings: 2, files: 3 } },
  })
})

test('200 with nothing for a record that does not exist, and for one of another object', async () => {
  const nothing = { notes: 0, meetings: 0, files: 0 }
  expect((await read(ABSENT)).body.data).toEqual(nothing)
  expect((await read(record, 'companies')).body.data).toEqual(nothing)
})

test('200 with at most as many as the page shows', async () => {
  const other = await listClient(service).record()
  await note(other)
  await service.db.sql`
    insert into relata.notes select n.* from relata.notes o, generate_series(1, ${MAX_COUNT}::int) i,
      lateral (select (json_populate_record(o, json_build_object('id', md5(i::text)::uuid))).*) n
    where o.parent_record_id = ${other}`
  expect((await read(other)).body.data.notes).toBe(MAX_COUNT)
})

test('200 without meetings of calendars that their member does not share', async () => {
  const other = await listClient(service).record()
  const meeting = await meetingClient(service).meeting({ linked_records: [{ object: 'people', record_id: other }] })
  const account = await addSendingAccount(service, admin.memberIds[service.workspaceId] ?? '')
  await service.db.sql`update relata.connected_accounts set sharing = 'nothing' where id = ${account}`
  await service.db.sql`insert into relata.synced_meetings (workspace_id, meeting_id, account_id, calendar, event_key)
    values (${service.workspaceId}, ${meeting}, ${account}, 1, 'event')`
  expect((await read(other)).body.data.meetings).toBe(0)
})

test('404 for an object that does not exist or is hidden, 400 for what is no id', async () => {
  expect((await read(record, 'nothing')).status).toBe(404)
  expect((await read('x')).status).toBe(400)
  await admin.ask('PUT', `${workspace}/objects/people/access`, { members: 'hidden', teams: [] })
  expect((await read(record)).status).toBe(404)
})

/** Notes, tasks, meetings and comments of another workspace do not exist, and neither do its records and members in bodies. */

import { beforeAll, expect, test } from 'bun:test'
import { createClient, type Client } from '#testing/client'
import { commentClient, input, onRecord } from '#testing/comments'
import { listClient } from '#testing/lists'
import { meetingClient, meetingInput, participant } from '#testing/meetings'
import { useTestService } from '#testing/use-service'
import { taskClient, taskInput } from '#testing/tasks'

const service = useTestService()
/** The client of another workspace, and its member and record. */
let other: Client
let otherMember: string
let otherRecord: string
/** A record of the first workspace. */
let record: string
beforeAll(async () => {
  record = await listClient(service).record()
  const workspace = await service.anotherWorkspace()
  other = createClient(service.app, workspace.key)
  otherMember = workspace.member.id
  const { body } = await other('POST', '/v2/objects/people/records', { data: { values: {} } })
  otherRecord = body.data.id.record_id
})

const noteInput = (parent_record_id: string) => ({
  data: { parent_object: 'people', parent_record_id, title: '', format: 'plaintext', content: 'x' },
})

test('404 for ids in paths', async () => {
  const note = (await service.request('POST', '/v2/notes', noteInput(record))).body.data.id.note_id
  const task = await taskClient(service).task()
  const meeting = await meetingClient(service).meeting()
  const comment = await commentClient(service).comment(onRecord(record))
  const requests: [method: string, path: string, body?: object][] = [
    ['GET', `notes/${note}`],
    ['PATCH', `notes/${note}`, { data: { title: 'y' } }],
    ['DELETE', `notes/${note}`],
    ['GET', `tasks/${task}`],
    ['PATCH', `tasks/${task}`, { data: { is_completed: true } }],
    ['DELETE', `tasks/${task}`],
    ['GET', `meetings/${meeting}`],
    ['PATCH', `meetings/${meeting}`, { data: { title: 'y' } }],
    ['DELETE', `meetings/${meeting}`],
    ['GET', `comments/${comment.id.comment_id}`],
    ['PATCH', `comments/${comment.id.comment_id}`, { data: { is_resolved: true } }],
    ['DELETE', `comments/${comment.id.comment_id}`],
    ['GET', `threads/${comment.thread_id}`],
    ['GET', `objects/people/records/${record}/activity`],
  ]
  for (const [method, path, body] of requests)
    expect([method, path, (await other(method, `/v2/${path}`, body)).status]).toEqual([method, path, 404])
})

test('404 for the record of a note', async () => {
  expect((await service.request('POST', '/v2/notes', noteInput(otherRecord))).status).toBe(404)
})

test('400 for records and members of tasks', async () => {
  const named = [
    { linked_records: [otherRecord] },
    { linked_records: [{ target_object: 'people', target_record_id: otherRecord }] },
    { assignees: [otherMember] },
  ]
  for (const members of named) {
    const { status, body } = await service.request('POST', '/v2/tasks', { data: taskInput(members) })
    expect([status, body.code]).toEqual([400, 'value_not_found'])
  }
})

test('400 for records and meetings in bodies of meetings and notes', async () => {
  const meeting = await meetingClient({ request: other }).meeting()
  const linked_records = [{ object: 'people', record_id: otherRecord }]
  const bodies: [path: string, body: object][] = [
    ['meetings', { data: meetingInput({ linked_records }) }],
    ['notes', { data: { ...noteInput(record).data, meeting_id: meeting } }],
  ]
  for (const [path, body] of bodies) {
    const answer = await service.request('POST', `/v2/${path}`, body)
    expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'value_not_found'])
  }
})

test('400 for records, threads and authors of comments', async () => {
  const { client, thread_id } = await otherThread()
  const named = [onRecord(otherRecord), { thread_id }, { ...onRecord(record), author: input(otherMember).author }]
  for (const members of named) {
    const { status, body } = await client.create({}, members)
    expect([status, body.code]).toEqual([400, 'value_not_found'])
  }
})

test('empty lists for records, 400 for members in queries', async () => {
  await other('POST', '/v2/notes', noteInput(otherRecord))
  await other('POST', '/v2/tasks', { data: taskInput({ linked_records: [otherRecord] }) })
  await meetingClient({ request: other }).meeting({
    linked_records: [{ object: 'people', record_id: otherRecord }],
    participants: [participant('theirs@example.org')],
  })
  await otherThread()
  const lists = [
    `notes?parent_object=people&parent_record_id=${otherRecord}`,
    `tasks?linked_object=people&linked_record_id=${otherRecord}`,
    `threads?object=people&record_id=${otherRecord}`,
    `meetings?linked_object=people&linked_record_id=${otherRecord}&participants=theirs@example.org`,
  ]
  for (const list of lists) expect((await service.request('GET', `/v2/${list}`)).body.data).toEqual([])
  for (const list of [`notes?created_by=${otherMember}`, `tasks?assignee=${otherMember}`])
    expect((await service.request('GET', `/v2/${list}`)).status).toBe(400)
})

/** A client of the first workspace, and a thread of the other one. */
async function otherThread() {
  const ofOther = commentClient({ request: other, member: { id: otherMember, email_address: '' } })
  return { client: commentClient(service), thread_id: (await ofOther.comment(onRecord(otherRecord))).thread_id }
}

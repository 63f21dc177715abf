/** See docs/reference/search.md (Texts of notes and others). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { commentClient, onEntry, onRecord } from '#testing/comments'
import { listClient } from '#testing/lists'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)
const bob = usePerson(service, 'member')
const lists = listClient(service)
const comments = commentClient(service)
let person: string

const post = async (path: string, data: object) => {
  const { status, body } = await service.request('POST', path, path === '/v2/files' ? data : { data })
  if (status !== 200) throw new Error(`${path}: ${body.message}`)
  return body.data
}
const noteOn = (parent_object: string, parent_record_id: string, title: string) =>
  post('/v2/notes', { parent_object, parent_record_id, title, format: 'plaintext', content: 'x' })
const task = (content: string) =>
  post('/v2/tasks', {
    content,
    format: 'plaintext',
    deadline_at: null,
    is_completed: false,
    linked_records: [],
    assignees: [],
  })
const folder = (object: string, record_id: string, name: string) =>
  post('/v2/files', { object, record_id, file_type: 'folder', name })

async function find(query: string, by: Person = bob) {
  const path = `/console/api/workspaces/${service.workspaceId}/text-search?${new URLSearchParams({ query })}`
  const { status, body } = await by.ask('GET', path)
  if (status !== 200) throw new Error(`${status}: ${body.message}`)
  const { notes, tasks, files, comments } = body.data
  const texts = (found: Record<string, string>[], name: string) => found.map((one) => one[name])
  return {
    notes: texts(notes, 'title'),
    tasks: texts(tasks, 'excerpt'),
    files: texts(files, 'name'),
    comments: texts(comments, 'excerpt'),
  }
}

const NOTHING = { notes: [], tasks: [], files: [], comments: [] }

beforeAll(async () => {
  person = await lists.record()
  await noteOn('people', person, 'Café in Zürich: plans')
  await task('Book the café, 50% off')
  await folder('people', person, 'cafe_menus')
  await comments.comment(onRecord(person), { content: `Ask ${service.member.email_address} about the CAFÉ` })
})

describe('GET …/text-search', () => {
  test('200 with notes, tasks, files and comments by beginnings of words, without accents and case', async () => {
    expect(await find('caf')).toEqual({
      notes: ['Café in Zürich: plans'],
      tasks: ['Book the café, 50% off'],
      files: ['cafe_menus'],
      comments: ['Ask … about the CAFÉ'],
    })
    expect((await find('plans ZUR')).notes).toHaveLength(1)
    expect(await find('afé')).toEqual(NOTHING)
    expect(await find('caf unknown')).toEqual(NOTHING)
  })

  test('200 with nothing for texts without words; mentions and the marks of patterns are none', async () => {
    for (const query of ['', ' -_%', '%af', service.member.id]) expect(await find(query)).toEqual(NOTHING)
  })

  test('200 with the newest five, and completed tasks last', async () => {
    for (let at = 0; at < 7; at++) await task(`Repeat ${at}`)
    const [newest] = (await service.request('GET', '/v2/tasks?sort=created_at:desc&limit=1')).body.data
    await service.request('PATCH', `/v2/tasks/${newest.id.task_id}`, { data: { is_completed: true } })
    expect((await find('repeat')).tasks).toEqual([5, 4, 3, 2, 1].map((at) => `Repeat ${at}`))
    expect((await find('repeat 6')).tasks).toEqual(['Repeat 6'])
  })

  test('200 without comments of lists that the member may not see', async () => {
    const access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
    const hidden = await lists.list({ workspace_access: null, workspace_member_access: access })
    await comments.comment(onEntry(hidden, await lists.entry(hidden, person)), { content: 'Salary of Ada' })
    expect(await find('salary')).toEqual(NOTHING)
    const shared = await lists.list()
    await comments.comment(onEntry(shared, await lists.entry(shared, person)), { content: 'Salary bands' })
    expect((await find('salary')).comments).toEqual(['Salary bands'])
  })

  test('200 without notes, files and comments of hidden objects', async () => {
    await post('/v2/objects', { api_slug: 'secrets', singular_noun: 'Secret', plural_noun: 'Secrets' })
    const { id } = await post('/v2/objects/secrets/records', { values: {} })
    await noteOn('secrets', id.record_id, 'Umbrella')
    await folder('secrets', id.record_id, 'umbrella')
    await comments.comment(onRecord(id.record_id, 'secrets'), { content: 'An umbrella' })
    expect((await find('umbrella')).files).toHaveLength(1)
    const access = `/console/api/workspaces/${service.workspaceId}/objects/secrets/access`
    expect((await admin.ask('PUT', access, { members: 'hidden', teams: [] })).status).toBe(200)
    expect(await find('umbrella')).toEqual(NOTHING)
    expect((await find('umbrella', admin)).comments).toEqual(['An umbrella'])
  })

  test('400 for a text that is too long', async () => {
    const path = `/console/api/workspaces/${service.workspaceId}/text-search?query=${'x'.repeat(257)}`
    expect((await bob.ask('GET', path)).status).toBe(400)
  })
})

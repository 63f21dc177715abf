/** What records of activities have, and what is refused for them. See docs/reference/activities.md (Elsewhere). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { listInput } from '#testing/lists'
import { usePerson, useTestService } from '#testing/use-service'

const CALLS = '/v2/activities/phone_calls/records'

const service = useTestService()
const admin = usePerson(service)
let record_id: string
beforeAll(async () => {
  const { body } = await service.request('POST', CALLS, { data: { values: { note: 'A call' } } })
  record_id = body.data.id.record_id
})

describe('refused with a sentence', () => {
  const base = () => `/console/api/workspaces/${service.workspaceId}`

  test('400 for an import of a CSV file', async () => {
    const path = `${base()}/imports?object=phone_calls&file_name=calls.csv`
    const { status, body } = await admin.ask('POST', path, 'Note\nA call')
    expect([status, body.message]).toEqual([400, expect.stringContaining('not imported from CSV files')])
  })

  test('400 for a retention rule', async () => {
    const path = `${base()}/objects/phone_calls/retention`
    const { status, body } = await admin.ask('PUT', path, { rule: { days: 30, action: 'trash' } })
    expect([status, body.message]).toEqual([400, expect.stringContaining('has no retention rule')])
  })

  const note = { title: '', format: 'plaintext', content: '' }
  const subject = () => ({ object: 'phone_calls', record_id })
  const author = () => ({ type: 'workspace-member', id: service.member.id })
  const link = () => ({ target_object: 'phone_calls', target_record_id: record_id })
  test.each<[string, readonly [number, string], () => object]>([
    [
      '/v2/notes',
      [404, 'not_found'],
      () => ({ data: { ...note, parent_object: 'phone_calls', parent_record_id: record_id } }),
    ],
    [
      '/v2/tasks',
      [400, 'validation_type'],
      () => ({
        data: {
          content: 'x',
          format: 'plaintext',
          deadline_at: null,
          is_completed: false,
          linked_records: [link()],
          assignees: [],
        },
      }),
    ],
    [
      '/v2/comments',
      [400, 'value_not_found'],
      () => ({ data: { format: 'plaintext', content: 'x', author: author(), record: subject() } }),
    ],
    ['/v2/files', [400, 'value_not_found'], () => ({ ...subject(), file_type: 'folder', name: 'x' })],
    [
      '/v2/lists',
      [404, 'not_found'],
      () => ({ data: listInput({ api_slug: 'of_calls', parent_object: 'phone_calls' }) }),
    ],
  ])('POST %s: %j', async (path, expected, bodyOf) => {
    const { status, body } = await service.request('POST', path, bodyOf())
    expect([status, body.code]).toEqual([...expected])
    expect(JSON.stringify(body)).toContain('phone_calls')
  })
})

describe('as of records of objects', () => {
  test('200 for an export as CSV', async () => {
    const headers = { Authorization: `Bearer ${service.key}` }
    const answer = await service.app.handle(new Request(`http://localhost${CALLS}/export?format=csv`, { headers }))
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('A call')])
  })

  test('the OpenAPI document of the workspace has the attributes', async () => {
    const { body } = await service.request('GET', '/v2/openapi.json')
    expect(Object.keys(body.paths)).toContain(CALLS)
    expect(JSON.stringify(body.paths[CALLS])).toContain('phone_calls_record_values')
  })
})

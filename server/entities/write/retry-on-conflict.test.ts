/** A write by an actor that is newer than the cached data model happens once. */

import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { READ_WRITE_SCOPES } from '../../scopes'
import { listClient } from '../../testing/lists'
import { meetingInput } from '../../testing/meetings'
import { testService, type TestService } from '../../testing/service'
import { taskInput } from '../../testing/tasks'

let service: TestService
let record: string
beforeAll(async () => {
  service = await testService()
  record = await listClient(service).record()
})
afterAll(() => service.close())

test.each([
  ['/v2/tasks', 'relata.tasks', () => ({ data: taskInput() })],
  ['/v2/meetings', 'relata.meetings', () => ({ data: meetingInput() })],
  [
    '/v2/notes',
    'relata.notes',
    () => ({
      data: { parent_object: 'people', parent_record_id: record, title: 'New key', format: 'plaintext', content: '' },
    }),
  ],
  ['/v2/files', 'relata.files', () => ({ object: 'people', record_id: record, file_type: 'folder', name: 'New key' })],
])('POST %s with a new key creates one thing', async (path, table, body) => {
  const { models } = service.appContext
  const outdated = await models.get(service.workspaceId)
  const get = spyOn(models, 'get').mockImplementation(async () => outdated)
  const key = await service.keyWith(READ_WRITE_SCOPES)
  expect((await service.request('POST', path, body(), { key })).status).toBe(200)
  get.mockRestore()
  const [row] = await service.db.sql<{ count: number }[]>`select count(*)::int as count from ${service.db.sql(table)}`
  expect(row).toEqual({ count: 1 })
})

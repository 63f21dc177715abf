/** A deletion that PostgreSQL ends because of a deadlock is retried. */

import { beforeAll, expect, test } from 'bun:test'
import { commentClient, onRecord } from '#testing/comments'
import { failOnce } from '#testing/fail-once'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { taskClient } from '#testing/tasks'

const service = useTestService()
let record: string
beforeAll(async () => {
  record = await listClient(service).record()
})

const createNote = async (): Promise<string> => {
  const data = { parent_object: 'people', parent_record_id: record, title: '', format: 'plaintext', content: '' }
  return (await service.request('POST', '/v2/notes', { data })).body.data.id.note_id
}

const deletions: [table: string, create: () => Promise<string>][] = [
  ['notes', createNote],
  ['tasks', () => taskClient(service).task()],
  ['comments', async () => (await commentClient(service).comment(onRecord(record))).id.comment_id],
]
test.each(deletions)('DELETE of %s', async (table, create) => {
  const id = await create()
  await failOnce(service, 'delete', table)
  expect((await service.request('DELETE', `/v2/${table}/${id}`)).status).toBe(200)
  expect((await service.request('GET', `/v2/${table}/${id}`)).status).toBe(404)
})

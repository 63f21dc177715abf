/** See docs/reference/comments.md (Numbers of comments). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { commentClient, onEntry, onRecord } from '#testing/comments'
import { listClient } from '#testing/lists'
import { type Person, signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'

const ABSENT = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
let bob: Person
let list: string
let hidden: string
let record: string
beforeAll(async () => {
  const lists = listClient(service)
  bob = await signedIn(service, { [service.workspaceId]: 'member' })
  list = await lists.list()
  const access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
  hidden = await lists.list({ workspace_access: null, workspace_member_access: access })
  record = await lists.record()
})

const read = (list: string, ids: readonly string[]) => {
  const query = new URLSearchParams({ list, entry_ids: ids.join(',') })
  return bob.ask('GET', `/console/api/workspaces/${service.workspaceId}/comment-counts?${query}`)
}

describe('GET …/comment-counts', () => {
  test('200 with the comments of unresolved threads on each entry', async () => {
    const { entry } = listClient(service)
    const comments = commentClient(service)
    const [first, second, third] = [await entry(list, record), await entry(list, record), await entry(list, record)]
    const { thread_id } = await comments.comment(onEntry(list, first))
    await comments.comment({ thread_id })
    await comments.comment(onEntry(list, first))
    const { id } = await comments.comment(onEntry(list, second))
    await comments.comment(onRecord(record))
    const { body } = await read(list, [first, second.toUpperCase(), third, ABSENT])
    expect(body.data.toSorted((a: { count: number }, b: { count: number }) => a.count - b.count)).toEqual([
      { entry_id: second, count: 1 },
      { entry_id: first, count: 3 },
    ])
    await comments.resolve(id.comment_id, true)
    expect((await read(list, [second])).body).toEqual({ data: [] })
  })

  test('200 with nothing for no ids and for entries of another list', async () => {
    const lists = listClient(service)
    const another = await lists.list()
    const id = await lists.entry(another, record)
    await commentClient(service).comment(onEntry(another, id))
    expect((await read(list, [id])).body).toEqual({ data: [] })
    expect((await read(list, [])).body).toEqual({ data: [] })
  })

  test('404 for a list that does not exist or that the member may not see', async () => {
    for (const slug of [hidden, 'nothing', ABSENT]) expect((await read(slug, [ABSENT])).status).toBe(404)
  })

  test('400 for what is no id, and for more than 100 ids', async () => {
    expect((await read(list, ['x'])).status).toBe(400)
    expect((await read(list, [ABSENT, ''])).status).toBe(400)
    expect(
      (
        await read(
          list,
          Array.from({ length: 101 }, () => ABSENT),
        )
      ).status,
    ).toBe(400)
  })
})

/** See docs/reference/inbox.md (What notifies, Requests of the console). */

import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { commentClient, memberNamed, onEntry, onRecord } from '#testing/comments'
import { listClient } from '#testing/lists'
import { type Person, signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const NOTHING = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const comments = commentClient(service)
const lists = listClient(service)
const bob = usePerson(service, 'member')
let record: string
let inbox: string
beforeAll(async () => {
  record = await lists.record()
  await service.appContext.models.reload(service.workspaceId)
  inbox = `/console/api/workspaces/${service.workspaceId}/inbox`
})
beforeEach(async () => {
  await service.db.sql`delete from relata.notifications`
})

interface Notification {
  readonly id: string
  readonly kind: string
  readonly read_at: string | null
}

const idIn = (person: Person): string => person.memberIds[service.workspaceId] ?? ''
const by = (memberId: string) => ({ author: { type: 'workspace-member', id: memberId } })
const toBob = () => `Dear ${bob.email_address}.`
const read = async (query = '', person = bob) => (await person.ask('GET', `${inbox}${query}`)).body
const kinds = async (person = bob): Promise<string[]> =>
  (await read('', person)).data.map(({ kind }: Notification) => kind)

describe('a notification', () => {
  test('of a mention shows the comment, and who wrote it', async () => {
    const { id, thread_id, author } = await comments.comment(onRecord(record), { content: toBob() })
    const { data, unread_count } = await read()
    expect(data).toEqual([
      {
        id: expect.any(String),
        kind: 'mention',
        actor: author,
        created_at: expect.stringMatching(/\d{9}Z$/),
        read_at: null,
        comment: {
          comment_id: id.comment_id,
          thread_id,
          excerpt: toBob(),
          record: { object_id: expect.any(String), record_id: record },
          entry: null,
          resolved_at: null,
        },
        task: null,
      },
    ])
    expect(unread_count).toBe(1)
    expect(await kinds(await signedIn(service))).toEqual([])
  })

  test('of a reply is created once for each member who wrote in the thread, and not for a member who is mentioned', async () => {
    const { thread_id } = await comments.comment(onRecord(record), by(idIn(bob)))
    await comments.comment({ thread_id }, by(idIn(bob)))
    expect(await kinds()).toEqual([])
    await comments.comment({ thread_id })
    await comments.comment({ thread_id }, { content: `${toBob()} ${toBob()}` })
    expect(await kinds()).toEqual(['mention', 'reply'])
  })

  test('is not created for the author of a comment, also when a token wrote it', async () => {
    const { thread_id } = await comments.comment(onRecord(record), { ...by(idIn(bob)), content: toBob() })
    const own = { format: 'plaintext', content: toBob(), ...by(idIn(bob)), thread_id }
    expect((await bob.ask('POST', '/console/v2/comments', { data: own })).status).toBe(200)
    expect(await kinds()).toEqual([])
  })

  test('is not created for a comment that is dated more than a day ago', async () => {
    const old = new Date(Date.now() - 25 * 3_600_000).toISOString()
    const recent = new Date(Date.now() - 23 * 3_600_000).toISOString()
    await comments.comment(onRecord(record), { content: toBob(), created_at: old })
    expect(await kinds()).toEqual([])
    await comments.comment(onRecord(record), { content: toBob(), created_at: recent })
    expect(await kinds()).toEqual(['mention'])
  })

  test('does not come to a suspended member', async () => {
    const suspended = await memberNamed(service, 'gone@example.com', 'suspended')
    const { thread_id } = await comments.comment(onRecord(record), by(suspended))
    await comments.comment({ thread_id }, { content: 'Dear gone@example.com' })
    expect(await service.db.sql`select 1 from relata.notifications where member_id = ${suspended}`).toHaveLength(0)
  })

  test('is deleted with its comment, and with the record', async () => {
    const other = await lists.record()
    const { id, thread_id } = await comments.comment(onRecord(other), { content: toBob() })
    await comments.comment({ thread_id }, { content: toBob() })
    const company = await lists.record('companies')
    await comments.comment(onRecord(company, 'companies'), { content: toBob() })
    await comments.remove(id.comment_id)
    expect(await kinds()).toEqual(['mention'])
    await service.request('DELETE', `/v2/objects/companies/records/${company}`)
    expect(await kinds()).toEqual([])
  })

  test('is not there when its write is refused', async () => {
    await comments.create(onRecord(NOTHING), { content: toBob() })
    expect(await service.db.sql`select 1 from relata.notifications`).toHaveLength(0)
  })
})

describe('privacy', () => {
  const access = (members: string[], workspace_access: string | null = null) => ({
    workspace_access,
    workspace_member_access: members.map((workspace_member_id) => ({ workspace_member_id, level: 'full-access' })),
  })

  test('a comment on a private list notifies only who may see the list', async () => {
    const list = await lists.list(access([service.member.id]))
    const entry = await lists.entry(list, record)
    const admin = await signedIn(service)
    await service.appContext.models.reload(service.workspaceId)
    const content = `${toBob()} ${admin.email_address}`
    const { thread_id } = await comments.comment(onEntry(list, entry), { content, ...by(idIn(bob)) })
    await comments.comment(onEntry(list, entry), { content })
    await comments.comment({ thread_id }, { content })
    expect(await kinds()).toEqual([])
    const rows = await service.db.sql`select 1 from relata.notifications where member_id = ${idIn(bob)}`
    expect(rows).toHaveLength(0)
    expect(await kinds(admin)).toEqual(['mention', 'mention', 'mention'])
  })

  test('a notification is hidden while the member may not see the list', async () => {
    const shared = access([service.member.id, idIn(bob)])
    const list = await lists.list(shared)
    const entry = await lists.entry(list, record)
    await comments.comment(onEntry(list, entry), { content: toBob() })
    const [{ id, comment }] = (await read()).data
    expect(comment.entry.entry_id).toBe(entry)
    const share = (data: object) => service.request('PATCH', `/v2/lists/${list}`, { data })
    await share(access([service.member.id]))
    expect(await read()).toMatchObject({ data: [], unread_count: 0 })
    expect((await bob.ask('POST', `${inbox}/${id}/read`, {})).status).toBe(404)
    await share(shared)
    expect((await read()).unread_count).toBe(1)
  })

  test("404 for another member's notification", async () => {
    await comments.comment(onRecord(record), { content: toBob() })
    const [{ id }] = (await read()).data
    const admin = await signedIn(service)
    expect((await admin.ask('POST', `${inbox}/${id}/read`, {})).status).toBe(404)
    expect((await admin.ask('POST', `${inbox}/read`, {})).status).toBe(200)
    expect((await read()).unread_count).toBe(1)
  })
})

describe('GET …/inbox', () => {
  test('200 in pages, the newest first, all or unread', async () => {
    for (let index = 0; index < 5; index++)
      await comments.comment(onRecord(record), { content: `${index} ${bob.email_address}` })
    const all: Notification[] = (await read()).data
    const first = await read('?limit=3')
    expect(first.data).toEqual(all.slice(0, 3))
    const second = await read(`?limit=3&cursor=${first.pagination.next_cursor}`)
    expect(second.data).toEqual(all.slice(3))
    expect(second.pagination.next_cursor).toBeNull()
    const [newest, ...others] = all
    const { body } = await bob.ask('POST', `${inbox}/${newest?.id}/read`, {})
    expect(body.data).toEqual({ unread_count: 4 })
    expect((await read('?unread=true')).data).toEqual(others)
    expect((await read()).data[0].read_at).toEqual(expect.any(String))
  })

  test.each(['?limit=0', '?limit=101', '?cursor=x', '?unread=maybe', '?time_zone=Nowhere', '?time_zone='])(
    '400 for %s',
    async (query) => expect((await bob.ask('GET', `${inbox}${query}`)).status).toBe(400),
  )
})

describe('POST …/inbox/read', () => {
  test('200 marks all, or those up to one', async () => {
    for (let index = 0; index < 3; index++) await comments.comment(onRecord(record), { content: toBob() })
    const [, middle] = (await read()).data
    const post = async (body?: object) => (await bob.ask('POST', `${inbox}/read`, body)).body.data.unread_count
    expect(await post({ up_to: middle.id })).toBe(1)
    expect(await post()).toBe(0)
  })

  test('400 for an invalid id in the body, 404 for an invalid or unknown id in the path', async () => {
    expect((await bob.ask('POST', `${inbox}/read`, { up_to: 'x' })).status).toBe(400)
    for (const id of ['x', NOTHING]) expect((await bob.ask('POST', `${inbox}/${id}/read`, {})).status).toBe(404)
  })
})

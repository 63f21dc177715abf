/** Tasks in the inbox. See docs/reference/inbox.md (What notifies, Tasks due today). */

import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Person, signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const bob = usePerson(service, 'member')
let inbox: string
beforeAll(async () => {
  inbox = `/console/api/workspaces/${service.workspaceId}/inbox`
})
beforeEach(async () => {
  await service.db.sql`delete from relata.tasks`
  service.setNow()
})

const idIn = (person: Person): string => person.memberIds[service.workspaceId] ?? ''
const assignee = (id: string) => ({ referenced_actor_type: 'workspace-member', referenced_actor_id: id })
const task = (content: string, members: object = {}) => ({
  data: {
    content,
    format: 'plaintext',
    deadline_at: null,
    is_completed: false,
    linked_records: [],
    assignees: [assignee(idIn(bob))],
    ...members,
  },
})

async function create(content: string, members: object = {}): Promise<string> {
  const { status, body } = await service.request('POST', '/v2/tasks', task(content, members))
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.id.task_id
}

const read = async (query = '') => (await bob.ask('GET', `${inbox}${query}`)).body

describe('a task', () => {
  test('notifies its assignees, once, and those who become one', async () => {
    const id = await create('Call Ada')
    const { data } = await read()
    expect(data).toMatchObject([
      {
        kind: 'task-assigned',
        actor: { type: 'api-token' },
        comment: null,
        task: { task_id: id, excerpt: 'Call Ada', deadline_at: null, is_completed: false },
      },
    ])
    const patch = (members: object) => service.request('PATCH', `/v2/tasks/${id}`, { data: members })
    await patch({ is_completed: true })
    expect((await read()).data).toHaveLength(1)
    await patch({ assignees: [] })
    await patch({ assignees: [assignee(idIn(bob))] })
    expect((await read()).data).toHaveLength(2)
  })

  test('does not notify the member who assigns it to themselves', async () => {
    expect((await bob.ask('POST', '/console/v2/tasks', task('My own'))).status).toBe(200)
    expect((await read()).data).toEqual([])
  })

  test('does not notify a suspended member; its notifications are deleted with it', async () => {
    const id = await create('Gone')
    await service.request('DELETE', `/v2/tasks/${id}`)
    expect((await read()).data).toEqual([])
    const suspended = await signedIn(service, { [service.workspaceId]: 'suspended' })
    await create('Away', { assignees: [assignee(idIn(suspended))] })
    expect(await service.db.sql`select 1 from relata.notifications`).toHaveLength(0)
  })
})

describe('tasks due today', () => {
  const due = async (query = ''): Promise<string[]> =>
    (await read(query)).tasks_due_today.map(({ excerpt }: { excerpt: string }) => excerpt)

  /** The day after tomorrow, on which the session is still good. */
  const today = Math.floor(Date.now() / 86_400_000 + 2) * 86_400_000
  const at = (hours: number) => new Date(today + hours * 3_600_000).toISOString()
  const lastInstant = at(23).replace('23:00:00.000Z', '23:59:59.999999999Z')

  test('are open, assigned to the member, and due on the day of the time zone', async () => {
    await create('early', { deadline_at: at(0) })
    await create('late', { deadline_at: lastInstant })
    await create('tomorrow', { deadline_at: at(24) })
    await create('yesterday', { deadline_at: at(-1) })
    await create('done', { deadline_at: at(12), is_completed: true })
    await create("another's", { deadline_at: at(12), assignees: [] })
    await create('some day')
    service.setNow((today + 12 * 3_600_000) * 1000)
    expect(await due()).toEqual(['early', 'late'])
    expect(await due('?time_zone=Europe/Berlin')).toEqual(['yesterday', 'early'])
    expect(await due('?time_zone=America/New_York')).toEqual(['late', 'tomorrow'])
    const { tasks_due_today } = await read()
    expect(tasks_due_today[1]).toEqual({
      task_id: expect.any(String),
      excerpt: 'late',
      deadline_at: lastInstant,
      is_completed: false,
    })
  })
})

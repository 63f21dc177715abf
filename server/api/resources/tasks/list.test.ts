/** Lists of tasks against the same lists made in memory. See docs/reference/tasks.md (Lists of tasks). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { createMember } from '#access/members/members'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { taskClient } from '#testing/tasks'
import type { TaskOutput } from './schemas'

const COUNT = 60
const SORTS = ['created_at', 'completed_at', 'deadline_at'].flatMap((key) => [`${key}:asc`, `${key}:desc`])

const service = useTestService()
const tasks = taskClient(service)
let all: TaskOutput[]
/** The values of each filter; undefined for a list without it. */
let filters: { links: (string | undefined)[]; assignees: (string | undefined)[] }

beforeAll(async () => {
  const { record } = listClient(service)
  const links = [await record('people'), await record('companies')]
  const { db, workspaceId, appContext, member } = service
  const other = { first_name: 'B', last_name: 'C', email_address: 'b@example.com', account_id: null }
  const { id } = await createMember(db, workspaceId, { ...other, access_level: 'member' }, appContext.now())
  await appContext.models.reload(workspaceId)
  const made: string[] = []
  for (let number = 0; number < COUNT; number++) {
    made.push(
      await tasks.task({
        linked_records: links.filter((_, index) => (number >> index) % 2 === 0),
        assignees: [member.id, id].filter((_, index) => (number >> (index + 2)) % 2 === 0),
        deadline_at: number % 3 === 0 ? null : `2030-01-${String((number % 7) + 1).padStart(2, '0')}`,
      }),
    )
  }
  // Tasks are not completed in the order of their creation.
  for (const [index, task] of made.entries())
    if (index % 5 < 2) await tasks.update(made[(index * 7) % COUNT] ?? task, { is_completed: true })
  all = await Promise.all(made.map(async (task) => (await tasks.get(task)).body.data))
  filters = { links: [undefined, ...links], assignees: [undefined, member.id, id, 'null'] }
})

const contents = async (query: URLSearchParams) => {
  const { status, body } = await tasks.list(`?${query}`)
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.map(({ id }: TaskOutput) => id.task_id)
}

/** `first` decides where tasks without the key are. */
function sorted(found: readonly TaskOutput[], sort: string): string[] {
  const [key = '', direction] = sort.split(':')
  const none = key === 'completed_at' ? '' : direction === 'desc' ? '' : '~'
  const keyOf = (task: TaskOutput) => Reflect.get(task, key) ?? none
  const ascending = found.toSorted((a, b) => compare(keyOf(a), keyOf(b)) || compare(a.created_at, b.created_at))
  return (direction === 'desc' ? ascending.toReversed() : ascending).map(({ id }) => id.task_id)
}
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const isListed = (task: TaskOutput, link: string | undefined, assignee: string | undefined, isCompleted?: boolean) =>
  (link === undefined || task.linked_records.some(({ target_record_id }) => target_record_id === link)) &&
  (assignee === undefined ||
    (assignee === 'null'
      ? task.assignees.length === 0
      : task.assignees.some(({ referenced_actor_id }) => referenced_actor_id === assignee))) &&
  (isCompleted === undefined || task.is_completed === isCompleted)

describe('GET /v2/tasks', () => {
  test('200 with every sort and every combination of filters, page by page', async () => {
    for (const [index, link] of filters.links.entries())
      for (const assignee of filters.assignees)
        for (const isCompleted of [undefined, false, true])
          for (const sort of SORTS) {
            const query = new URLSearchParams({ sort })
            if (link !== undefined) query.set('linked_object', index === 1 ? 'people' : 'companies')
            if (link !== undefined) query.set('linked_record_id', link)
            if (assignee !== undefined) query.set('assignee', assignee)
            if (isCompleted !== undefined) query.set('is_completed', String(isCompleted))
            const expected = sorted(
              all.filter((task) => isListed(task, link, assignee, isCompleted)),
              sort,
            )
            expect([String(query), await contents(query)]).toEqual([String(query), expected])
            query.set('limit', '4')
            query.set('offset', '3')
            expect([String(query), await contents(query)]).toEqual([String(query), expected.slice(3, 7)])
          }
  })

  test('200 by creation, 500 at most, without parameters', async () => {
    expect(await contents(new URLSearchParams())).toEqual(all.map(({ id }) => id.task_id))
    expect((await tasks.list('?limit=501')).status).toBe(400)
  })

  test('200 with a range of deadlines, the earliest first', async () => {
    const range = { deadline_from: '2030-01-03', deadline_before: '2030-01-05T00:00:00Z' }
    const within = all.filter(({ deadline_at }) => /^2030-01-0[34]/.test(deadline_at ?? ''))
    expect(await contents(new URLSearchParams(range))).toEqual(sorted(within, 'deadline_at:asc'))
    const open = new URLSearchParams({ ...range, sort: 'deadline_at:desc', is_completed: 'false', assignee: '' })
    const expected = within.filter((task) => isListed(task, undefined, 'null', false))
    expect(await contents(open)).toEqual(sorted(expected, 'deadline_at:desc'))
  })

  test('200 with the email address of an assignee in any case', async () => {
    const { email_address, id } = service.member
    const expected = all.filter((task) => isListed(task, undefined, id)).map((task) => task.id.task_id)
    expect(await contents(new URLSearchParams({ assignee: email_address.toUpperCase() }))).toEqual(expected)
  })

  test('200 without tasks for a record of another object', async () => {
    const [, person = ''] = filters.links
    const query = new URLSearchParams({ linked_object: 'companies', linked_record_id: person })
    expect(await contents(query)).toEqual([])
  })

  const refused: readonly (readonly [string, string, string])[] = [
    ['an object alone', 'linked_object=people', 'validation_type'],
    ['a record alone', 'linked_record_id=11111111-1111-4111-8111-111111111111', 'validation_type'],
    ['a record id that is no id', 'linked_object=people&linked_record_id=x', 'validation_type'],
    ['an unknown object', 'linked_object=x&linked_record_id=11111111-1111-4111-8111-111111111111', 'value_not_found'],
    ['an unknown assignee', 'assignee=x@example.com', 'value_not_found'],
    ['an unknown sort', 'sort=content:asc', 'validation_type'],
    ['a bound that is no date', 'deadline_from=soon', 'validation_type'],
    ['a bound with another sort', 'deadline_before=2030&sort=created_at:asc', 'validation_type'],
    ['a negative offset', 'offset=-1', 'validation_type'],
  ]
  test.each(refused)('400 for %s', async (_, query, code) => {
    const { status, body } = await tasks.list(`?${query}`)
    expect([status, body.code]).toEqual([400, code])
  })
})

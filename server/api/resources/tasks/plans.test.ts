/** Each list of tasks reads ranges of one index in their order. See docs/reference/tasks.md (Lists of tasks). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { seedTasks } from '#testing/many-tasks'
import { plansOf } from '#testing/plans'
import { useTestService } from '#testing/use-service'

const TASKS = 40_000

const service = useTestService()
/** Parameters of each table that has tasks together. */
let tables: Readonly<Record<string, readonly string[]>>
beforeAll(async () => {
  const { person } = await seedTasks(service, TASKS)
  const link = `linked_object=people&linked_record_id=${person}`
  tables = {
    tasks: [''],
    task_links: [link, `${link}&assignee=${service.member.id}`, `${link}&assignee=null`],
    task_assignees: [`assignee=${service.member.id}`, 'assignee='],
  }
})

const COMPLETION = ['', 'is_completed=false', 'is_completed=true']
const RANGE = 'deadline_from=2030-01-02&deadline_before=2030-01-09'

/** Sorts, and how the names of their indexes end. */
const FORMS: readonly (readonly [string, string])[] = [
  ['sort=created_at:asc', 'created'],
  ['sort=created_at:desc', 'created'],
  ['sort=completed_at:asc', 'completed'],
  ['sort=completed_at:desc', 'completed'],
  ['sort=deadline_at:asc', 'deadline'],
  ['sort=deadline_at:desc', 'deadline_desc'],
  [`sort=deadline_at:asc&${RANGE}`, 'deadline'],
  [`sort=deadline_at:desc&${RANGE}`, 'deadline_desc'],
]

/** The plan of the ids of a page. */
async function planOf(query: string): Promise<string> {
  const plans = await plansOf(service, async () => {
    const { status, body } = await service.request('GET', `/v2/tasks?${query}`)
    expect([query, status, body.data.length]).toEqual([query, 200, 50])
  })
  const plan = plans.find((each) => each.includes('CTE page')) ?? ''
  return plan.slice(plan.indexOf('CTE page'), plan.indexOf('InitPlan') > 0 ? plan.indexOf('InitPlan') : undefined)
}

describe.each(['tasks', 'task_links', 'task_assignees'])('a page of %s', (table) => {
  test.each(FORMS)('with %s reads the index that ends in %s', async (sort, ending) => {
    for (const filter of tables[table] ?? [])
      for (const completion of COMPLETION) {
        const query = [sort, 'limit=50', completion, filter].filter(Boolean).join('&')
        const page = (await planOf(query)).split(/\n {2}->|\n\s+SubPlan/)[0] ?? ''
        const scans = [...page.matchAll(/(?:Index (?:Only )?Scan(?: Backward)? using (\w+)|Seq Scan|Bitmap)/g)]
        expect([query, new Set(scans.map(([, index]) => index))]).toEqual([query, new Set([`${table}_${ending}`])])
        expect([query, /Sort  /.test(page)]).toEqual([query, false])
      }
  })
})

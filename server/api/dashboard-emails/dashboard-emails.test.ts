/** See docs/reference/dashboards.md (Emails). */

import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Micros } from '#base/timing/clock'
import type { Email } from '#crm/email/send-email'
import { PROGRAM_FOLDER } from '#db/program'
import { endLeasesOf } from '#engine/queue'
import { listClient } from '#testing/lists'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { runWorker } from '#testing/workers'
import { COLORS, drawPng } from './dashboard-picture'
import { scheduleQueue } from './store'
import { dashboardEmailWorker } from './worker'

const service = useTestService()
const lists = listClient(service)
const ada = usePerson(service)
const bob = usePerson(service, 'member')
const place = { column: 0, row: 0, width: 6, height: 4 }
const daily = { frequency: 'daily', hour: 8, time_zone: 'Europe/Berlin' }
/** With all kinds of charts, and with one chart. */
let whole: string
let dashboard: string
let now: Micros
let list: string

const START = Date.parse('2026-11-28T06:00:00Z') * 1000
const HOUR = 3_600_000_000
const idOf = ({ memberIds }: Person) => memberIds[service.workspaceId] ?? ''
const as = (person: Person, method: string, path: string, data?: object) =>
  person.ask(method, `/console${path}`, data && { data })
const create = (charts: readonly object[], members: object = {}) =>
  service.request('POST', '/v2/dashboards', { data: { title: 'Sales & more', charts, ...members } })
const pathOf = ({ body }: { body: { data: { id: { dashboard_id: string } } } }) =>
  `/v2/dashboards/${body.data.id.dashboard_id}`
const schedule = (data: object, path = dashboard) => service.request('POST', `${path}/schedules`, { data })
const pathIn = ({ body }: { body: { data: { id: { schedule_id: string } } } }) =>
  `${dashboard}/schedules/${body.data.id.schedule_id}`

function setNow(micros: Micros): void {
  now = micros
  service.setNow(micros)
}

beforeAll(async () => {
  const companies = [
    ['Lumen', 120],
    ['Nimbus <&>', 80],
  ] as const
  await service.request('POST', '/v2/objects/companies/attributes', {
    data: {
      title: 'Revenue',
      description: '',
      api_slug: 'revenue',
      type: 'currency',
      is_required: false,
      is_unique: false,
      is_multiselect: false,
      config: { currency: { default_currency_code: 'EUR', display_type: 'symbol' } },
    },
  })
  for (const [name, revenue] of companies) await lists.record('companies', { name, revenue })
  const workspace_member_access = [
    { workspace_member_id: service.member.id, level: 'full-access' },
    { workspace_member_id: idOf(ada), level: 'full-access' },
  ]
  list = await lists.list({ workspace_access: null, workspace_member_access })
  await lists.attribute(list, 'stage', { type: 'status' })
  const stages = `/v2/lists/${list}/attributes/stage/statuses`
  await service.request('POST', stages, { data: { title: 'Won', target_time_in_status: 'P1D' } })
  await lists.entry(list, await lists.record(), { stage: 'Won' })
  const charts = [
    {
      title: 'Revenue by name',
      kind: 'bars',
      source: { object: 'companies' },
      aggregates: [{ function: 'sum', attribute: 'revenue' }],
      group_by: 'name',
      place,
    },
    { title: 'By creator', kind: 'table', source: { object: 'people' }, group_by: 'created_by', place },
    { title: 'Secret funnel', kind: 'funnel', source: { list }, attribute: 'stage', place },
    { title: 'Secret times', kind: 'time_in_status', source: { list }, attribute: 'stage', place },
    { title: 'Months', kind: 'lines', source: { object: 'companies' }, group_by: 'created_at', place },
    { title: 'All', kind: 'figure', source: { object: 'companies' }, place },
    {
      title: 'Mine',
      kind: 'figure',
      source: { object: 'companies' },
      filter: { created_by: { $relative: 'me' } },
      place,
    },
    { title: 'Gone', kind: 'table', source: { saved_query_id: '01890a5d-ac96-774b-bcce-b302099a8057' }, place },
  ]
  whole = pathOf(await create(charts))
  dashboard = pathOf(await create(charts.slice(0, 1)))
})

beforeEach(async () => {
  await service.db.sql`delete from relata.dashboard_schedules`
  setNow(START)
})

describe('a schedule', () => {
  test('200 from its creation to its deletion, then 404', async () => {
    const made = await schedule({
      workspace_member_id: idOf(bob),
      frequency: 'weekly',
      weekday: 1,
      hour: 8,
      time_zone: 'europe/berlin',
      period: 'last_7_days',
      owner: 'me',
    })
    expect([made.status, made.body.message]).toEqual([200, undefined])
    const { data } = made.body
    expect(data).toMatchObject({
      workspace_member_id: idOf(bob),
      weekday: 1,
      day: null,
      time_zone: 'Europe/Berlin',
      period: 'last_7_days',
      owner: 'me',
      is_paused: false,
      next_at: '2026-11-30T07:00:00.000000000Z',
      last_sent_at: null,
    })
    const listed = await as(bob, 'GET', `${dashboard}/schedules`)
    expect(listed.body).toEqual({ data: [data], is_delivered: false })
    const path = pathIn(made)
    const change = async (members: object) => (await as(bob, 'PATCH', path, members)).body.data
    expect(await change({ is_paused: true })).toMatchObject({ is_paused: true, next_at: null })
    expect(await change({ hour: 9 })).toMatchObject({ is_paused: true, hour: 9, next_at: null })
    expect(await change({ is_paused: false })).toMatchObject({ next_at: '2026-11-30T08:00:00.000000000Z' })
    expect(await change({ frequency: 'monthly', day: 31 })).toMatchObject({
      weekday: null,
      day: 31,
      next_at: '2026-11-30T08:00:00.000000000Z',
    })
    expect((await as(bob, 'PATCH', path, {})).status).toBe(400)
    expect((await as(bob, 'DELETE', path)).status).toBe(200)
    for (const method of ['PATCH', 'DELETE']) expect((await as(bob, method, path, { hour: 1 })).status).toBe(404)
  })

  test.each([
    ['weekday', { frequency: 'weekly' }],
    ['weekday', { weekday: 1 }],
    ['day', { frequency: 'monthly' }],
    ['day', { day: 1 }],
    ['hour', { hour: 24 }],
    ['time_zone', { time_zone: 'Mars/Olympus' }],
    ['period', { period: 'sometime' }],
    ['owner', { owner: 'nobody' }],
    ['workspace_member_id', { workspace_member_id: '01890a5d-ac96-774b-bcce-b302099a8057' }],
  ])('400 with the path of %s for %j', async (member, members) => {
    const { status, body } = await schedule({ workspace_member_id: idOf(bob), ...daily, ...members })
    expect([status, body.validation_errors[0].path]).toEqual([400, ['data', member]])
  })

  test('400 for another recipient of a personal dashboard, and 404 for who does not see it', async () => {
    const path = pathOf(await as(bob, 'POST', '/v2/dashboards', { title: 'Mine', is_personal: true }))
    const post = (person: Person, recipient: Person) =>
      as(person, 'POST', `${path}/schedules`, { workspace_member_id: idOf(recipient), ...daily })
    expect((await post(bob, ada)).status).toBe(400)
    expect((await post(ada, ada)).status).toBe(404)
    expect((await as(ada, 'GET', `${path}/schedules`)).status).toBe(404)
    expect((await post(bob, bob)).status).toBe(200)
  })

  test('400 for more than 100 of a dashboard', async () => {
    const made = await schedule({ workspace_member_id: idOf(bob), ...daily })
    await service.db.sql`
      insert into relata.dashboard_schedules (workspace_id, id, dashboard_id, member_id, frequency, hour, time_zone, created_at)
      select workspace_id, gen_random_uuid(), dashboard_id, member_id, frequency, hour, time_zone, created_at
      from relata.dashboard_schedules, generate_series(1, 99) where id = ${made.body.data.id.schedule_id}`
    const { status, body } = await schedule({ workspace_member_id: idOf(bob), ...daily })
    expect([status, body.code]).toEqual([400, 'quota_exceeded'])
  })
})

describe('an email', () => {
  const emails: Email[] = []
  let refusal: Error | undefined
  let onSend = async () => {}
  beforeEach(() => {
    emails.length = 0
    refusal = undefined
    onSend = async () => {}
  })

  /** What one process does when its timer fires. */
  const send = (isDelivered = true) =>
    runWorker(dashboardEmailWorker, {
      ...service.appContext,
      now: () => now,
      mail: {
        isDelivered,
        async send(email) {
          if (refusal) throw refusal
          emails.push(email)
          await onSend()
        },
        close() {},
      },
    })
  const due = START + 2 * HOUR
  const lastSent = async () =>
    (await service.request('GET', `${dashboard}/schedules`)).body.data.map(
      ({ last_sent_at }: { last_sent_at: string }) => last_sent_at,
    )

  test('has the charts that its recipient sees, as a picture and as tables', async () => {
    await schedule({ workspace_member_id: idOf(ada), ...daily }, whole)
    await schedule({ workspace_member_id: idOf(bob), ...daily, owner: 'me', period: 'this_year' }, whole)
    await send()
    expect(emails).toEqual([])
    setNow(due)
    await send()
    const [toAda, toBob] = [ada, bob].map(({ email_address }) => emails.find(({ to }) => to === email_address))
    expect([emails.length, toAda?.subject]).toEqual([2, 'Sales & more in Workspace 1'])
    expect(toAda?.text).toContain('Saturday, November 28, 2026 at 9:00')
    expect(toAda?.text).toContain('Revenue by name\n---------------\nName        Sum of Revenue\n')
    expect(toAda?.text).toContain('Lumen                 €120\nNimbus <&>             €80\n')
    expect(toAda?.html).toContain('<th scope="row"')
    expect(toAda?.html).toContain('Nimbus &lt;&amp;&gt;')
    expect(toAda?.text).toContain('Secret funnel')
    expect(toAda?.text).toContain('Won           1          100%    1')
    expect(toAda?.text).toContain('1 day')
    expect(toAda?.text).toContain('What this chart shows does not exist any more.')
    expect(toAda?.html).toContain('src="cid:dashboard"')
    expect(toBob?.text).not.toContain('Secret')
    expect(toBob?.html).not.toContain('Secret')
    expect(toBob?.text).toContain('?period=this_year&owner=me')
    const [picture] = toAda?.pictures ?? []
    expect(picture?.content.slice(1, 4)).toEqual(new Uint8Array([0x50, 0x4e, 0x47]))
  })

  test('is sent once by several processes, and again at its next time', async () => {
    await schedule({ workspace_member_id: idOf(bob), ...daily })
    setNow(due)
    // A process that is killed while the mail server has the email is found dead meanwhile.
    onSend = async () => {
      await endLeasesOf(service.db.sql, scheduleQueue, [service.db.pools.applicationName], now)
      onSend = async () => {}
      await send()
    }
    await Promise.all([send(), send()])
    expect(emails).toHaveLength(1)
    setNow(due + 22 * HOUR)
    await send()
    expect(emails).toHaveLength(1)
    setNow(due + 24 * HOUR)
    await send()
    expect(emails).toHaveLength(2)
    expect(emails[0]?.messageId).not.toBe(emails[1]?.messageId)
  })

  test('that the mail server refuses is sent later, with the same id', async () => {
    await schedule({ workspace_member_id: idOf(bob), ...daily })
    setNow(due)
    refusal = new Error('no')
    await send()
    refusal = undefined
    await send()
    expect(emails).toEqual([])
    setNow(due + HOUR / 6)
    await send()
    await send()
    expect(emails).toHaveLength(1)
    expect(await lastSent()).toEqual(['2026-11-28T08:10:00.000000000Z'])
  })

  test('is not sent to suspended members, without a mail server, while paused, and after a removal', async () => {
    const made = await schedule({ workspace_member_id: idOf(bob), ...daily })
    const setLevel = async (level: string) => {
      await service.db.sql`update relata.workspace_members set access_level = ${level} where id = ${idOf(bob)}`
      await service.appContext.models.reload(service.workspaceId)
    }
    setNow(due)
    await send(false)
    await setLevel('suspended')
    await send()
    await setLevel('member')
    await send()
    await as(ada, 'PATCH', pathIn(made), { is_paused: true })
    setNow(due + 24 * HOUR)
    await send()
    await as(ada, 'DELETE', pathIn(made))
    await send()
    expect(emails).toEqual([])
  })

  test('of a dashboard that became personal is not sent to others', async () => {
    await schedule({ workspace_member_id: idOf(bob), ...daily })
    await schedule({ workspace_member_id: idOf(ada), ...daily })
    expect((await as(ada, 'PATCH', dashboard, { is_personal: true })).status).toBe(200)
    setNow(due)
    await send()
    expect(emails.map(({ to }) => to)).toEqual([ada.email_address])
    expect((await as(ada, 'PATCH', dashboard, { is_personal: false })).status).toBe(200)
  })
})

test('the colors are those of the light theme', () => {
  const css = readFileSync(join(PROGRAM_FOLDER, 'web/src/design/tokens.css'), 'utf8')
  for (const [name, color] of Object.entries(COLORS)) expect(css).toContain(`--${name}: light-dark(${color}, `)
})

test('an SVG that cannot be drawn rejects', () =>
  expect(drawPng({ svg: '<svg', width: 1, height: 1 })).rejects.toThrow())

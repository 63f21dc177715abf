/** Calendars at a CalDAV server of the test, with and without the extensions that tell what has changed. */

import { beforeEach, describe, expect, test } from 'bun:test'
import { calendar, event } from '#testing/calendars'
import { changed, day, GRACE, hour, useCalendars } from '#testing/connected-calendars'
import { until } from '#testing/until'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const ada = usePerson(service)
const calendars = useCalendars(service, [ada], ({ url }) => ({
  kind: 'caldav',
  settings: { url: `${url}/`, user: 'ada' },
  secret: { password: 'secret' },
}))
const { state, accounts, account, connect, untilRead, readAgain, untilFailed, meetings, titles } = calendars

const resource = (uid: string, ...lines: string[]) => calendar(event(uid, ...lines, ...GRACE))
const add = (name: string, ...lines: string[]) =>
  state.server.add('work', `${name}.ics`, resource(name, ...(lines.length === 0 ? hour() : lines)))

describe.each([
  ['with sync-collection', {}],
  ['with sync-collection in parts', { changesAtOnce: 1 }],
  ['with ctag and ETags only', { hasSyncCollection: false }],
  ['with ETags only', { hasSyncCollection: false, hasCtag: false }],
  ['without multiget', { hasMultiget: false }],
])('a server %s', (_, extensions) => {
  beforeEach(() => {
    Object.assign(state.server, extensions)
  })

  test('reads calendars, and then what has changed, moved and gone', async () => {
    add('stays')
    add('changes', changed(1), ...hour())
    add('goes')
    state.server.add('private', 'moves.ics', resource('moves', ...hour()))
    await connect()
    await untilRead()
    expect(await titles()).toEqual(['changes', 'goes', 'moves', 'stays'])
    const moving = (await meetings()).find(({ title }) => title === 'moves')
    expect((await account()).progress).toMatchObject({ stored: 4, read: 4, total: 4 })
    const sent = state.server.sent.length
    await readAgain()
    expect(state.server.sent.length).toBe(sent)
    add('changes', changed(2), ...hour(day(5)))
    state.server.remove('work', 'goes.ics')
    state.server.remove('private', 'moves.ics')
    state.server.add('work', 'moves again.ics', resource('moves', ...hour()))
    add('new')
    await readAgain()
    expect(await titles()).toEqual(['changes', 'moves', 'new', 'stays'])
    const after = await meetings()
    expect(after.find(({ title }) => title === 'moves')?.id).toEqual(moving?.id)
    expect(after.at(-1)?.title).toBe('changes')
    expect(state.server.sent.slice(sent).toSorted()).toEqual(['changes.ics', 'moves again.ics', 'new.ics'])
    expect((await account()).progress).toMatchObject({ stored: 4, read: 4, total: 4, problem_count: 0 })
  })
})

describe('calendars', () => {
  test('those that the member chooses are read, those for tasks never', async () => {
    add('work')
    state.server.add('home', 'home.ics', resource('home', ...hour()))
    state.server.calendars.set('tasks', {
      displayName: 'Tasks',
      components: ['VTODO'],
      resources: new Map(),
      changes: new Map(),
    })
    const { id, settings } = await connect()
    await untilRead()
    const { collections } = (await account()).progress
    expect(collections.map(({ name, is_read }: { name: string; is_read: boolean }) => [name, is_read])).toEqual([
      ['work', true],
      ['home', true],
    ])
    const chosen = [collections[1].path]
    await ada.ask('PATCH', `${accounts()}/${id}`, { settings: { ...settings, calendars: chosen } })
    state.worker.wake()
    await until(async () => (await titles()).join() === 'home')
    await ada.ask('PATCH', `${accounts()}/${id}`, { settings })
    state.worker.wake()
    await until(async () => (await titles()).join() === 'home,work')
  })

  test('the address of one calendar is enough', async () => {
    add('work')
    state.server.add('home', 'home.ics', resource('home', ...hour()))
    await connect({ settings: { url: `${state.server.url}/dav/calendars/ada/home/`, user: 'ada' } })
    await untilRead()
    expect(await titles()).toEqual(['home'])
  })

  test('a token that the server forgot: everything is compared', async () => {
    add('stays')
    add('goes')
    await connect()
    await untilRead()
    state.server.remove('work', 'goes.ics')
    add('new')
    state.server.oldestToken = 1_000
    const sent = state.server.sent.length
    await readAgain()
    expect(await titles()).toEqual(['new', 'stays'])
    expect(state.server.sent.slice(sent)).toEqual(['new.ics'])
  })
})

describe('problems', () => {
  test('a broken event is skipped and listed once, and not read again before it changes', async () => {
    add('good')
    state.server.add('work', 'html.ics', '<html>')
    state.server.add('work', 'bad.ics', calendar(event('bad', 'DTSTART:nothing')))
    await connect()
    await untilRead()
    expect(await titles()).toEqual(['good'])
    const sent = state.server.sent.length
    state.server.hasSyncCollection = false
    await readAgain()
    expect(state.server.sent.length).toBe(sent)
    const { progress, state: found } = await account()
    expect([found, progress.problem_count]).toEqual(['active', 2])
    add('bad', changed(1), ...hour())
    await readAgain()
    expect(await titles()).toEqual(['bad', 'good'])
  })

  test('answers that break off: the account goes on where it was', async () => {
    for (let index = 0; index < 60; index++) add(`event-${index}`)
    await connect()
    await untilRead()
    add('late')
    state.server.cutAfter = 400
    await untilFailed(({ error }) => error?.code === 'connection_lost')
    state.server.cutAfter = Number.POSITIVE_INFINITY
    await readAgain()
    expect((await titles()).length).toBe(61)
    expect(new Set(await titles()).size).toBe(61)
  })

  test('a process that stops in the middle leaves the account to the next one', async () => {
    for (let index = 0; index < 120; index++) add(`event-${index}`)
    await connect()
    await until(async () => (await titles()).length > 0)
    await calendars.restartWorker()
    await untilRead()
    expect(new Set(await titles()).size).toBe(120)
    expect((await titles()).length).toBe(120)
  })

  test('a password that no longer works: the member is asked for another one', async () => {
    add('one')
    const { id } = await connect()
    await untilRead()
    state.server.password = 'changed'
    await untilFailed((found) => found.state === 'sign-in-required')
    expect((await account()).error).toMatchObject({ code: 'sign_in_refused', answer: '401 Unauthorized' })
    expect(service.sentEmails.at(-1)?.subject).toBe('Sign in to ada@lovelace.org again')
    const wrong = await ada.ask('PATCH', `${accounts()}/${id}`, { secret: { password: 'wrong' } })
    expect([wrong.status, wrong.body.problem]).toEqual([400, 'sign_in_refused'])
    expect((await ada.ask('PATCH', `${accounts()}/${id}`, { secret: { password: 'changed' } })).status).toBe(200)
  })

  test('200 with another address of a host that has the well-known one', async () => {
    const { status } = await connect({ settings: { url: `${state.server.url}/calendar.ics`, user: 'ada' } })
    expect(status).toBe(200)
  })

  test.each([
    ['a wrong password', { secret: { password: 'wrong' } }, 'sign_in_refused'],
    ['an address where nothing answers', { settings: { url: 'http://127.0.0.1:1/', user: 'ada' } }, 'no_connection'],
  ])('400 for %s', async (_, changes, problem) => {
    const { status, problem: found } = await connect(changes)
    expect([status, found]).toEqual([400, problem])
  })

  test.each([
    ['credentials in the address', { url: 'https://ada:x@relata.dev/', user: 'ada' }],
    ['another protocol', { url: 'ftp://relata.dev/', user: 'ada' }],
    ['no user', { url: 'https://relata.dev/', user: '' }],
  ])('400 for %s', async (_, settings) => {
    expect((await connect({ settings })).status).toBe(400)
  })

  test('409 for the same account again', async () => {
    await connect()
    expect((await connect()).status).toBe(409)
  })
})

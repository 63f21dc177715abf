/** Calendars at an address: what becomes meetings, who sees it, and that nothing stays when it is gone. */

import { describe, expect, test } from 'bun:test'
import { startCalendarServer } from '../../../../e2e/support/calendar-server'
import { segment } from '#testing/call-recordings'
import { calendar, calendarImports, event, type ListedMeeting } from '#testing/calendars'
import { attendees, changed, day, GRACE, hour, useCalendars } from '#testing/connected-calendars'
import { settleContacts } from '#testing/contacts'
import { refreshInteractions } from '#crm/interactions/refresh-records'
import { until } from '#testing/until'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const ada = usePerson(service)
const bob = usePerson(service)
const calendars = useCalendars(service, [ada, bob], ({ url }) => ({
  kind: 'ics',
  settings: { name: 'Work' },
  secret: { url: `${url}/calendar.ics` },
}))
const { state, accounts, account, connect, untilRead, readAgain, untilFailed, meetings, titles } = calendars

const titlesOfKey = async (): Promise<string[]> =>
  (await service.request('GET', '/v2/meetings')).body.data.map(({ title }: ListedMeeting) => title)

describe('what is read', () => {
  test('single and recurring events, exceptions, moves and cancellations, in the time zones of the file', async () => {
    const start = day(10).toISOString().slice(0, 10).replaceAll('-', '')
    const halifax = (suffix: string) => `;TZID=America/Halifax:${start}T${suffix}`
    state.server.ics = calendar(
      event('single', ...hour(), ...GRACE),
      event(
        'weekly',
        `DTSTART${halifax('090000')}`,
        `DTEND${halifax('100000')}`,
        'RRULE:FREQ=WEEKLY;COUNT=3',
        ...GRACE,
      ),
      event(
        'weekly',
        `RECURRENCE-ID${halifax('090000')}`,
        `DTSTART${halifax('110000')}`,
        `DTEND${halifax('120000')}`,
        ...GRACE,
      ),
      event('cancelled', 'STATUS:CANCELLED', ...hour(), ...GRACE),
    )
    await connect()
    await untilRead()
    expect(await titles()).toEqual(['single', 'weekly', 'weekly', 'weekly'])
    const [, first, second] = await meetings()
    expect(first?.start.timezone).toBe('America/Halifax')
    expect([first?.start.datetime?.slice(11, 16), second?.start.datetime?.slice(11, 16)]).toEqual(['11:00', '09:00'])
    expect((await account()).progress).toMatchObject({ stored: 4, read: 4, total: 4, problem_count: 0 })
  })

  test('a changed event changes its meeting, one that is gone deletes it; one that did not change stays as people changed it', async () => {
    state.server.ics = calendar(
      event('moves', changed(1), ...hour(day(1)), ...GRACE),
      event('goes', ...hour(), ...GRACE),
    )
    await connect()
    await untilRead()
    const moving = (await meetings()).find(({ title }) => title === 'moves')
    state.server.ics = calendar(event('moves', changed(2), ...hour(day(3)), ...GRACE))
    await readAgain()
    const [moved] = await meetings()
    expect(await titles()).toEqual(['moves'])
    expect([moved?.id, moved?.start.datetime]).toEqual([moving?.id, `${day(3).toISOString().slice(0, 19)}.000Z`])
    await ada.ask('PATCH', `/console/v2/meetings/${moved?.id.meeting_id}`, { data: { title: 'ours' } })
    state.server.ics = calendar(
      event('moves', changed(2), ...hour(day(3)), ...GRACE),
      event('new', ...hour(), ...GRACE),
    )
    await readAgain()
    expect(await titles()).toEqual(['new', 'ours'])
  })

  test('a file that did not change, except for DTSTAMP, is not read again', async () => {
    state.server.ics = calendar(event('one', 'DTSTAMP:20260101T000000Z', ...hour(), ...GRACE))
    await connect()
    await untilRead()
    await service.db.sql`delete from relata.meetings`
    await readAgain()
    state.server.hasValidators = false
    state.server.ics = state.server.ics.replace('20260101T', '20260102T')
    await readAgain()
    expect(await titles()).toEqual([])
  })

  test('meetings over the API are never changed; DELETE refuses those of the calendar', async () => {
    const external_ref = { ical_uid: 'api', provider: 'google', is_recurring: false }
    const body = {
      title: 'over the API',
      description: '',
      is_all_day: true,
      start: { date: '2027-01-01' },
      end: { date: '2027-01-02' },
      participants: [{ email_address: 'x@y.dev', is_organizer: true, status: 'accepted' }],
      external_ref,
    }
    await service.request('POST', '/v2/meetings', { data: body })
    state.server.ics = calendar(event('api', ...hour(), ...GRACE), event('own', ...hour(), ...GRACE))
    const { id } = await connect()
    await untilRead()
    expect(await titles()).toEqual(['over the API', 'own'])
    const own = (await meetings()).find(({ title }) => title === 'own')
    const refused = await service.request('DELETE', `/v2/meetings/${own?.id.meeting_id}`)
    expect([refused.status, refused.body.code]).toEqual([400, 'system_edit_unauthorized'])
    state.server.ics = calendar()
    await readAgain()
    expect(await titles()).toEqual(['over the API'])
    await ada.ask('DELETE', `${accounts()}/${id}`)
  })

  test('only as far back as the member chose, and further back later', async () => {
    state.server.ics = calendar(event('old', ...hour(day(-100)), ...GRACE), event('new', ...hour(day(-10)), ...GRACE))
    const { id } = await connect({ history_days: 90 })
    await untilRead()
    expect(await titles()).toEqual(['new'])
    await ada.ask('PATCH', `${accounts()}/${id}`, { history_days: null })
    state.worker.wake()
    await until(async () => (await titles()).length === 2)
  })

  test('a person of the meeting is created, and has it in the activity', async () => {
    state.server.ics = calendar(event('first', ...hour(), ...attendees('hopper@navy.mil')))
    await connect()
    await untilRead()
    await settleContacts(service)
    const find = async () =>
      (
        await service.request('POST', '/v2/objects/people/records/query', {
          filter: { email_addresses: 'hopper@navy.mil' },
        })
      ).body.data[0]
    const { record_id } = (await find()).id
    const { body } = await service.request('GET', `/v2/meetings?linked_object=people&linked_record_id=${record_id}`)
    expect(body.data.length).toBe(1)
  })
})

describe('problems', () => {
  test('a broken event is skipped and listed; what was stored of it stays', async () => {
    state.server.ics = calendar(event('good', ...hour(), ...GRACE), event('bad', changed(1), ...hour(), ...GRACE))
    await connect()
    await untilRead()
    state.server.ics = calendar(
      event('good', ...hour(), ...GRACE),
      event('bad', changed(2), 'DTSTART:nothing', ...GRACE),
      event('endless', ...hour(), 'RRULE:FREQ=SECONDLY', ...GRACE),
    )
    await readAgain()
    expect(await titles()).toEqual(['bad', 'good'])
    const { progress, state: found } = await account()
    expect([found, progress.problem_count]).toEqual(['active', 2])
    expect(progress.problems.map(({ item }: { item: string }) => item)).toEqual(['bad', 'endless'])
  })

  test('a file that breaks off, or is none, changes nothing and is read again later', async () => {
    state.server.ics = calendar(event('one', ...hour(), ...GRACE), event('two', ...hour(), ...GRACE))
    await connect()
    await untilRead()
    const cases = {
      connection_lost: () =>
        Object.assign(state.server, { ics: state.server.ics.replace('END:VCALENDAR', '').replaceAll('two', 'three') }),
      no_calendar: () => Object.assign(state.server, { ics: '<html>Sign in</html>' }),
      server_busy: () => Object.assign(state.server, { status: 503 }),
    }
    for (const [code, prepare] of Object.entries(cases)) {
      prepare()
      await untilFailed(({ error }) => error?.code === code)
    }
    expect(await titles()).toEqual(['one', 'two'])
  })

  test('an address that is gone: the member is asked for another one', async () => {
    state.server.ics = calendar(event('one', ...hour(), ...GRACE))
    const { id } = await connect()
    await untilRead()
    state.server.status = 404
    await untilFailed((account) => account.state === 'sign-in-required')
    expect(await titles()).toEqual(['one'])
    state.server.status = 200
    const fixed = await ada.ask('PATCH', `${accounts()}/${id}`, {
      secret: { url: `${state.server.url}/redirect/calendar.ics` },
    })
    expect(fixed.body.data).toMatchObject({ state: 'active', error: null })
  })

  test.each([
    ['nothing at the address', { secret: { url: 'http://127.0.0.1:1/x' } }, 'connection_failed'],
    ['another file', { secret: { url: 'SERVER/nothing' } }, 'connection_failed'],
    ['no address', { secret: { url: 'ftp://x/y' } }, 'validation_type'],
    ['a password', { secret: { password: 'x' } }, 'validation_type'],
    ['no name', { settings: { name: '' } }, 'validation_type'],
  ])('400 for %s', async (_, changes, code) => {
    const text = JSON.stringify(changes).replace('SERVER', state.server.url)
    const { status, code: given } = await connect(JSON.parse(text))
    expect([status, given]).toEqual([400, code])
  })

  test('the address is in no answer; 409 for the same one again; 400 for a change to another kind', async () => {
    state.server.ics = calendar()
    const { id } = await connect()
    expect(JSON.stringify((await ada.ask('GET', accounts())).body)).not.toContain('calendar.ics')
    expect((await connect()).status).toBe(409)
    const settings = { host: 'x', port: 993, security: 'tls', user: 'x' }
    expect((await ada.ask('PATCH', `${accounts()}/${id}`, { settings })).status).toBe(400)
    expect((await ada.ask('PATCH', `${accounts()}/${id}`, { secret: { password: 'x' } })).status).toBe(400)
  })
})

describe('privacy', () => {
  const seen = async () => [await titles(ada), await titles(bob), (await titlesOfKey()).toSorted()]

  test('colleagues see what the member shares, in lists, single meetings, activities and interactions', async () => {
    state.server.ics = calendar(event('secret', 'DESCRIPTION:more', ...hour(day(-1)), ...GRACE))
    const person = await service.request('POST', '/v2/objects/people/records', {
      data: { values: { email_addresses: ['grace@navy.mil'] } },
    })
    const { record_id } = person.body.data.id
    const { id } = await connect({ sharing: 'exchange' })
    await untilRead()
    const [meeting] = await meetings()
    const path = `/v2/meetings/${meeting?.id.meeting_id}`
    const activity = async (on: typeof ada) =>
      (await on.ask('GET', `/console/v2/objects/people/records/${record_id}/activity`)).body.data
        .filter(({ type }: { type: string }) => type === 'meeting.linked')
        .map((item: { meeting: { title: string } }) => item.meeting.title)
    await settleContacts(service)
    expect(await seen()).toEqual([['secret'], ['Busy'], ['Busy']])
    expect([await activity(ada), await activity(bob)]).toEqual([['secret'], ['Busy']])
    const recording = { data: { transcript: [segment(0, 'Ada Lovelace', 'confidential')] } }
    const recorded = await ada.ask('POST', `/console${path}/call_recordings`, recording)
    const { call_recording_id } = recorded.body.data.id
    const recordings = async (on: typeof ada) => {
      const found = ['', '?query=confidential'].map((query) => on.ask('GET', `/console/v2/call_recordings${query}`))
      return (await Promise.all(found)).map(({ body }) => body.data.length)
    }
    expect([await recordings(ada), await recordings(bob)]).toEqual([[1, 1], [1, 1]]) // prettier-ignore
    expect((await service.request('GET', path)).body.data).toMatchObject({ title: 'Busy', description: '' })
    await ada.ask('PATCH', `${accounts()}/${id}`, { sharing: 'nothing' })
    state.worker.wake()
    expect(await seen()).toEqual([['secret'], [], []])
    expect([await activity(ada), await activity(bob)]).toEqual([['secret'], []])
    expect([await recordings(ada), await recordings(bob)]).toEqual([[1, 1], [0, 0]]) // prettier-ignore
    expect((await ada.ask('DELETE', `/console${path}/call_recordings/${call_recording_id}`)).status).toBe(204)
    const asked = [
      ['GET', path],
      ['PATCH', path, { data: { title: 'x' } }],
      ['PUT', path, { data: { linked_records: [] } }],
      ['DELETE', `${path}?force=true`],
      ['GET', `${path}/call_recordings`],
    ] as const
    for (const [method, at, body] of asked) expect((await service.request(method, at, body)).status).toBe(404)
    const note = { parent_object: 'people', parent_record_id: record_id, title: 'x', format: 'plaintext', content: 'x' }
    const noted = { data: { ...note, meeting_id: meeting?.id.meeting_id } }
    expect((await service.request('POST', '/v2/notes', noted)).status).toBe(400)
    expect((await ada.ask('POST', '/console/v2/notes', noted)).status).toBe(200)
    // The attributes of a record are computed once a minute.
    let minutes = 0
    const last = async () => {
      minutes += 2
      await refreshInteractions({ db: service.db, now: () => service.appContext.now() + minutes * 60_000_000 })
      const { body } = await service.request('GET', `/v2/objects/people/records/${record_id}`)
      return body.data.values.last_calendar_interaction.length
    }
    await until(async () => (await last()) === 0)
    await ada.ask('PATCH', `${accounts()}/${id}`, { sharing: 'everything' })
    state.worker.wake()
    expect(await seen()).toEqual([['secret'], ['secret'], ['secret']])
    await until(async () => (await last()) === 1)
  })

  test('who creates a meeting that they do not see gets their own, and the calendar changes it no longer', async () => {
    state.server.ics = calendar(event('secret', changed(1), ...hour(), ...GRACE))
    await connect({ sharing: 'nothing' })
    await untilRead()
    const { body } = await service.request('POST', '/v2/meetings', {
      data: {
        title: 'mine',
        description: '',
        is_all_day: true,
        start: { date: '2027-01-01' },
        end: { date: '2027-01-02' },
        participants: [{ email_address: 'x@y.dev', is_organizer: true, status: 'accepted' }],
        external_ref: { ical_uid: 'secret', provider: 'google', is_recurring: false },
      },
    })
    expect(JSON.stringify(body)).not.toContain('navy')
    expect(body.data.title).toBe('mine')
    state.server.ics = calendar(event('secret', changed(2), ...hour(), ...GRACE))
    await readAgain()
    expect(await seen()).toEqual([['mine'], ['mine'], ['mine']])
  })

  test('people of a meeting that is not shared are not created', async () => {
    state.server.ics = calendar(event('secret', ...hour(), ...attendees('hidden@clinic.org')))
    await connect({ sharing: 'nothing' })
    await untilRead()
    await settleContacts(service)
    const { body } = await service.request('POST', '/v2/objects/people/records/query', {
      filter: { email_addresses: 'hidden@clinic.org' },
    })
    expect(body.data).toEqual([])
  })

  test('private events are busy times without title, description and participants', async () => {
    state.server.ics = calendar(
      event('doctor', 'CLASS:PRIVATE', 'DESCRIPTION:more', ...hour(), ...attendees('doctor@clinic.org')),
      event('open', ...hour(), ...GRACE),
    )
    await connect()
    await untilRead()
    expect(await titles()).toEqual(['Busy', 'open'])
    const { body } = await ada.ask('GET', '/console/v2/meetings')
    expect(JSON.stringify(body)).not.toMatch(/doctor|clinic|more/)
    state.server.ics = calendar(event('doctor', changed(3), ...hour(), ...attendees('doctor@clinic.org')))
    await readAgain()
    expect(await titles()).toEqual(['doctor'])
  })

  test('excluded addresses, and meetings among colleagues, are never stored; new exclusions apply to what is stored', async () => {
    state.server.ics = calendar(
      event('colleagues', ...hour(), ...attendees(bob.email_address)),
      event('alone', ...hour()),
      event('doctor', changed(1), ...hour(), ...attendees('doctor@clinic.org')),
      event('both', changed(1), ...hour(), ...attendees('doctor@clinic.org', 'grace@navy.mil')),
    )
    await connect()
    await untilRead()
    expect(await titles()).toEqual(['alone', 'both', 'doctor'])
    const exclusions = `/console/api/workspaces/${service.workspaceId}/excluded-addresses`
    state.server.status = 503
    await ada.ask('PUT', exclusions, { patterns: ['clinic.org'] })
    state.worker.wake()
    await until(async () => (await titles()).join() === 'alone,both')
    expect(JSON.stringify(await meetings())).not.toContain('clinic')
    state.server.status = 200
    await readAgain()
    expect(await titles()).toEqual(['alone', 'both'])
    await ada.ask('PUT', exclusions, { patterns: [] })
    state.worker.wake()
    await until(async () => (await titles()).join() === 'alone,both,doctor')
    await until(async () => JSON.stringify(await meetings()).split('doctor@clinic.org').length === 3)
  })

  test('a meeting of two members is one, as open as one of them shares it; each removal takes its part', async () => {
    state.server.ics = calendar(event('shared', ...hour(), ...GRACE), event('hers', ...hour(), ...GRACE))
    const other = startCalendarServer()
    other.ics = calendar(event('shared', ...hour(), ...GRACE))
    const { id } = await connect({ sharing: 'nothing' })
    await untilRead()
    await connect({ sharing: 'exchange', secret: { url: `${other.url}/calendar.ics` } }, bob)
    await untilRead(bob)
    expect(await seen()).toEqual([['hers', 'shared'], ['shared'], ['Busy']])
    await ada.ask('DELETE', `${accounts()}/${id}`)
    expect(await seen()).toEqual([['hers', 'shared'], ['shared'], ['Busy']])
    state.worker.wake()
    await until(async () => (await account()) === undefined)
    expect(await seen()).toEqual([['Busy'], ['shared'], ['Busy']])
    other.stop()
  })

  test('a removed account leaves meetings of files, and of one with a recording only the time', async () => {
    const imports = calendarImports(service, Date.now() * 1000)
    const text = calendar(event('file', ...hour(), ...GRACE), event('later', ...hour(), ...GRACE))
    await imports.run(calendar(event('file', ...hour(), ...GRACE)))
    state.server.ics = calendar(
      event('file', ...hour(), ...GRACE),
      event('later', ...hour(), ...GRACE),
      event('recorded', ...hour(), ...GRACE),
    )
    const { id } = await connect({ sharing: 'nothing' })
    await untilRead()
    expect(await titles(bob)).toEqual(['file'])
    await imports.run(text)
    expect(await titles(bob)).toEqual(['file', 'later'])
    imports.close()
    const recorded = (await meetings()).find(({ title }) => title === 'recorded')
    await service.db.sql`
      insert into relata.call_recordings (workspace_id, meeting_id, id, status, created_at, created_by)
      values (${service.workspaceId}, ${recorded?.id.meeting_id ?? ''}, ${crypto.randomUUID()}, 'completed', now(), 1)`
    await ada.ask('DELETE', `${accounts()}/${id}`)
    state.worker.wake()
    await until(async () => (await account()) === undefined)
    expect(await titles(bob)).toEqual(['Busy', 'file', 'later'])
    const { body } = await bob.ask('GET', `/console/v2/meetings/${recorded?.id.meeting_id}`)
    expect(JSON.stringify(body)).not.toContain('navy')
  })
})

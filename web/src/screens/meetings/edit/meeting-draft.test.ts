import { describe, expect, test } from 'bun:test'
import type { Meeting } from '../../../api/meetings/meetings'
import { changesOf, draftOf, inputOf, type MeetingDraft, newDraft, problemOf, withStart } from './meeting-draft'

const ada = { email_address: 'ada@example.com', name: null, status: 'accepted', is_organizer: true } as const
const meeting: Meeting = {
  id: { workspace_id: 'workspace', meeting_id: 'meeting' },
  title: 'Kick-off',
  description: '',
  is_all_day: false,
  start: { datetime: '2027-11-27T14:00:00.000-04:00', timezone: 'America/Halifax' },
  end: { datetime: '2027-11-27T15:30:00.000-04:00', timezone: 'America/Halifax' },
  participants: [ada, { email_address: null, name: 'Grace', status: 'pending', is_organizer: false }],
  linked_records: [{ object_slug: 'people', object_id: 'object', record_id: 'record' }],
  created_at: '2026-11-20T08:00:00.000000000Z',
  created_by_actor: { type: 'system', id: null },
}
const wholeDays = { ...meeting, is_all_day: true, start: { date: '2027-11-27' }, end: { date: '2027-11-29' } }
const draft = draftOf(meeting, 'UTC')

describe('the draft of a meeting', () => {
  test('has the time of the clocks in its time zone', () => {
    expect(draft).toMatchObject({ start: '2027-11-27T14:00', end: '2027-11-27T15:30', timezone: 'America/Halifax' })
  })
  test('of whole days ends on the last day', () => {
    expect(draftOf(wholeDays, 'UTC')).toMatchObject({ start: '2027-11-27T09:00', end: '2027-11-28T09:00' })
  })
  test('of a new meeting begins at the next full hour', () => {
    const now = new Date(2026, 10, 22, 18, 20)
    expect(newDraft(now, 'UTC', { participants: [], linked: [] })).toMatchObject({
      start: '2026-11-22T19:00',
      end: '2026-11-22T20:00',
    })
  })
})

describe('what is saved', () => {
  test('names participants by their address or their name', () => {
    expect(
      inputOf({ ...draft, participants: [...draft.participants, { text: ' ', status: 'pending', isOrganizer: false }] })
        .participants,
    ).toEqual([
      { email_address: 'ada@example.com', status: 'accepted', is_organizer: true },
      { name: 'Grace', status: 'pending', is_organizer: false },
    ])
  })
  test('of whole days has the day after the last one as its end', () => {
    expect(inputOf(draftOf(wholeDays, 'UTC'))).toMatchObject({
      start: { date: '2027-11-27' },
      end: { date: '2027-11-29' },
    })
  })

  const times = {
    start: { datetime: '2027-11-27T14:00:00', timezone: 'UTC' },
    end: { datetime: '2027-11-27T15:30:00', timezone: 'UTC' },
  }
  const cases: [title: string, change: Partial<MeetingDraft>, saved: object][] = [
    ['nothing that was left as it is', {}, {}],
    ['a title', { title: ' Review ' }, { title: 'Review' }],
    ['all times with a time zone', { timezone: 'UTC' }, { is_all_day: false, ...times }],
    ['the records as a whole', { linked: [] }, { linked_records: [] }],
  ]
  test.each(cases)('of a change: %s', (_title, change, saved) => {
    expect(changesOf(draft, { ...draft, ...change })).toEqual(saved)
  })
})

test('the end moves with the start', () => {
  expect(withStart(draft, '2027-11-28T23:00')).toEqual({ start: '2027-11-28T23:00', end: '2027-11-29T00:30' })
  expect(withStart(draft, '')).toEqual({ start: '', end: draft.end })
})

describe('times that cannot be saved', () => {
  const cases: [change: Partial<MeetingDraft>, problem: string | undefined][] = [
    [{}, undefined],
    [{ end: draft.start }, 'The end must be after the start.'],
    [{ end: draft.start, isAllDay: true }, undefined],
    [{ end: '2027-11-26T09:00', isAllDay: true }, 'The end must be after the start.'],
    [{ start: '' }, 'Enter a start and an end.'],
  ]
  test.each(cases)('%p', (change, problem) => expect(problemOf({ ...draft, ...change })).toBe(problem))
})

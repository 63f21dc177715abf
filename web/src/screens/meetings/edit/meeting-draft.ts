/** What the dialog of a meeting edits, and what it saves: of a changed meeting only the parts that were changed. */

import type { Meeting, MeetingChange, MeetingInput, MeetingTime, Participant } from '../../../api/meetings/meetings'
import type { RecordTarget } from '../../../api/records/entities'

export interface ParticipantDraft {
  /** An email address or a name. */
  text: string
  status: Participant['status']
  isOrganizer: boolean
}

export interface MeetingDraft {
  title: string
  isAllDay: boolean
  /** The time on the clocks of the time zone, such as `2026-11-27T14:00`. */
  start: string
  /** Of an all-day meeting, a time on its last day. */
  end: string
  timezone: string
  participants: ParticipantDraft[]
  linked: readonly RecordTarget[]
  description: string
}

/** Of `2026-11-27T14:00`. */
const CLOCK_LENGTH = 16
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A draft that begins at the next full hour. */
export function newDraft(
  now: Date,
  timezone: string,
  own: Pick<MeetingDraft, 'participants' | 'linked'>,
): MeetingDraft {
  const local = now.getTime() - now.getTimezoneOffset() * 60_000
  const start = Math.ceil(local / HOUR_MS) * HOUR_MS
  const times = { start: textOf(start), end: textOf(start + HOUR_MS), timezone }
  return { title: '', isAllDay: false, description: '', ...times, ...own }
}

export function draftOf(meeting: Meeting, browserZone: string): MeetingDraft {
  const { title, description, is_all_day, start, end, participants, linked_records } = meeting
  return {
    title,
    description,
    isAllDay: is_all_day,
    start: clockOf(start),
    end: is_all_day ? plus(clockOf(end), -DAY_MS) : clockOf(end),
    timezone: 'date' in start ? browserZone : (start.timezone ?? 'UTC'),
    participants: participants.map(({ email_address, name, status, is_organizer }) => ({
      text: email_address ?? name ?? '',
      status,
      isOrganizer: is_organizer,
    })),
    linked: linked_records.map(({ object_slug, record_id }) => ({
      target_object: object_slug,
      target_record_id: record_id,
    })),
  }
}

/** The service renders a datetime with the offset of its time zone, so its beginning is what the clocks there show. */
const clockOf = (time: MeetingTime): string => ('date' in time ? `${time.date}T09:00` : time.datetime.slice(0, 16))

export function inputOf(draft: MeetingDraft): MeetingInput {
  const { title, description, isAllDay, participants, linked } = draft
  return {
    title: title.trim(),
    description,
    is_all_day: isAllDay,
    ...timesOf(draft),
    participants: participants
      .filter(({ text }) => text.trim() !== '')
      .map(({ text, status, isOrganizer }) => ({
        ...(text.includes('@') ? { email_address: text.trim() } : { name: text.trim() }),
        status,
        is_organizer: isOrganizer,
      })),
    linked_records: linked.map(({ target_object, target_record_id }) => ({
      object: target_object,
      record_id: target_record_id,
    })),
  }
}

function timesOf({ isAllDay, start, end, timezone }: MeetingDraft): Pick<MeetingInput, 'start' | 'end'> {
  if (isAllDay) return { start: { date: start.slice(0, 10) }, end: { date: plus(end, DAY_MS).slice(0, 10) } }
  return { start: { datetime: `${start}:00`, timezone }, end: { datetime: `${end}:00`, timezone } }
}

/** The times go together, because each of them alone may contradict the others. */
const PARTS: readonly (readonly (keyof MeetingChange)[])[] = [
  ['title'],
  ['description'],
  ['is_all_day', 'start', 'end'],
  ['participants'],
  ['linked_records'],
]

export function changesOf(before: MeetingDraft, draft: MeetingDraft): MeetingChange {
  const [earlier, later] = [inputOf(before), inputOf(draft)]
  const changed = PARTS.filter((part) =>
    part.some((name) => JSON.stringify(earlier[name]) !== JSON.stringify(later[name])),
  )
  return Object.fromEntries(changed.flat().map((name) => [name, later[name]]))
}

/** Moves the end with the start, so that the meeting stays as long as it is. */
export function withStart(draft: MeetingDraft, start: string): Pick<MeetingDraft, 'start' | 'end'> {
  const length = instantOf(draft.end) - instantOf(draft.start)
  const isValid = !Number.isNaN(instantOf(start)) && !Number.isNaN(length)
  return { start, end: isValid ? textOf(instantOf(start) + length) : draft.end }
}

/** Undefined when the times can be saved. */
export function problemOf({ isAllDay, start, end }: MeetingDraft): string | undefined {
  const [from, until] = [start, end].map((clock) => instantOf(isAllDay ? `${clock.slice(0, 10)}T00:00` : clock))
  if (from === undefined || until === undefined || Number.isNaN(from + until)) return 'Enter a start and an end.'
  if (isAllDay ? until < from : until <= from) return 'The end must be after the start.'
  return undefined
}

/** NaN for an incomplete time, of which some browsers would make a date. */
const instantOf = (clock: string): number => (clock.length < CLOCK_LENGTH ? Number.NaN : Date.parse(`${clock}:00Z`))
const textOf = (instant: number): string => new Date(instant).toISOString().slice(0, 16)
const plus = (clock: string, ms: number): string =>
  Number.isNaN(instantOf(clock)) ? clock : textOf(instantOf(clock) + ms)

/** Calendar files for tests. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { calendarImport } from '#run/cli/file-imports/file-imports'
import { readArguments } from '#run/cli/read-arguments'
import type { TestService } from './service'

export const calendar = (...parts: string[]): string =>
  ['BEGIN:VCALENDAR', 'PRODID:-//Google Inc//Google Calendar 70.9054//EN', ...parts, 'END:VCALENDAR', ''].join('\r\n')

/** An event whose title is its UID. */
export const event = (uid: string, ...lines: string[]): string =>
  ['BEGIN:VEVENT', `UID:${uid}`, `SUMMARY:${uid}`, ...lines, 'END:VEVENT'].join('\r\n')

export interface ListedMeeting {
  readonly id: { readonly meeting_id: string }
  readonly title: string
  readonly start: { readonly datetime?: string; readonly date?: string; readonly timezone?: string | null }
  readonly end: { readonly datetime?: string; readonly date?: string }
  readonly participants: readonly { readonly email_address: string | null; readonly status: string }[]
}

export interface CalendarImports {
  /** Imports a file with the command, at a time in microseconds, and returns what the command prints. */
  run(text: string | Uint8Array, now?: number): Promise<string>
  /** The rows of the errors file of the last import. */
  problems(): Promise<string[]>
  /** The meetings with this title, by start. */
  meetingsOf(title: string): Promise<ListedMeeting[]>
  startsOf(title: string): Promise<(string | undefined)[]>
  close(): void
}

export function calendarImports(service: TestService, defaultNow: number): CalendarImports {
  const folder = mkdtempSync(join(tmpdir(), 'relata-calendar-'))
  let files = 0
  const meetingsOf = async (title: string) => (await listMeetings(service)).filter((meeting) => meeting.title === title)
  return {
    async run(text, now = defaultNow) {
      const path = join(folder, `${++files}.ics`)
      await Bun.write(path, text)
      const lines: string[] = []
      const { db, appContext } = service
      const print = (line: string) => lines.push(line)
      const context = { db, now: () => now, blobs: appContext.blobs, baseUrl: '', print }
      const options = readArguments(calendarImport, [path, '--member', service.member.email_address])
      await calendarImport.run(options, context)
      return lines.join('\n').replaceAll(folder, '')
    },
    async problems() {
      const text = await Bun.file(join(folder, `${files}.ics.errors.csv`)).text()
      return text.trim().split('\r\n').slice(1)
    },
    meetingsOf,
    startsOf: async (title) => (await meetingsOf(title)).map(({ start }) => start.datetime ?? start.date),
    close: () => rmSync(folder, { recursive: true }),
  }
}

async function listMeetings({ request }: TestService): Promise<ListedMeeting[]> {
  const found: ListedMeeting[] = []
  let cursor = ''
  do {
    const { body } = await request('GET', `/v2/meetings?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    found.push(...body.data)
    cursor = body.pagination.next_cursor ?? ''
  } while (cursor !== '')
  return found
}

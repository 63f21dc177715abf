/**
 * Reads the events and time zones of an iCalendar file one by one, so that memory does not depend on the size of the file.
 * RFC 5545, 3.1: a line that begins with a space or a tab continues the line before it, also within a character.
 */

import { ImportError } from '#transfer/import/import-context'

export interface CalendarComponent {
  readonly kind: 'VEVENT' | 'VTIMEZONE'
  /** The line of the file with which it begins. */
  readonly line: number
  /** The properties that the import reads, a text each. Those of a time zone include its parts. */
  readonly properties: readonly string[]
  /** Why the component cannot be imported. */
  readonly problem: string | undefined
}

/** A line outside of components, such as `PRODID`. */
export interface CalendarProperty {
  readonly kind: 'property'
  readonly text: string
}

/** All other properties are ignored, also those of components within an event. */
const PROPERTIES: Readonly<Record<CalendarComponent['kind'], ReadonlySet<string>>> = {
  VEVENT: new Set([
    'UID',
    'STATUS',
    'CLASS',
    'RECURRENCE-ID',
    'SEQUENCE',
    'LAST-MODIFIED',
    'DTSTAMP',
    'DTSTART',
    'DTEND',
    'DURATION',
    'SUMMARY',
    'DESCRIPTION',
    'ORGANIZER',
    'ATTENDEE',
    'RRULE',
    'RDATE',
    'EXDATE',
  ]),
  VTIMEZONE: new Set(['BEGIN', 'END', 'TZID', 'DTSTART', 'TZOFFSETFROM', 'TZOFFSETTO', 'RRULE', 'RDATE']),
}

/** The texts of these properties are longer than what is imported of them. */
const CUT: ReadonlySet<string> = new Set(['SUMMARY', 'DESCRIPTION'])

/** The properties of an event together. */
const MAX_BYTES = 256 * 1024
/** One property. The parser takes some milliseconds for so many bytes, and cannot be interrupted. */
const MAX_PROPERTY_BYTES = 32 * 1024
const SPACE = 32
const TAB = 9

/** Throws `ImportError` for a file in another format. */
export async function* readComponents(
  chunks: AsyncIterable<readonly Uint8Array[]>,
): AsyncGenerator<CalendarComponent | CalendarProperty> {
  const reader = createComponentReader()
  let parts: Uint8Array[] = []
  let bytes = 0
  let count = 0
  for await (const chunk of chunks) {
    const found: (CalendarComponent | CalendarProperty)[] = []
    for (const line of chunk) {
      const isContinued = line[0] === SPACE || line[0] === TAB
      if (!isContinued || count === 0) {
        reader.take({ parts, bytes, count }, found)
        parts = [line]
        bytes = line.length
        count = 1
        continue
      }
      if (bytes <= MAX_PROPERTY_BYTES && line.length > 1) parts.push(line.subarray(1))
      bytes += line.length - 1
      count++
    }
    yield* found
  }
  const last: (CalendarComponent | CalendarProperty)[] = []
  reader.take({ parts, bytes, count }, last)
  yield* last
  reader.finish()
}

/** A line with those that continue it. */
interface FoldedLine {
  readonly parts: readonly Uint8Array[]
  /** More than `parts` has, when it is longer than a property may be. */
  readonly bytes: number
  readonly count: number
}

interface OpenComponent {
  readonly kind: CalendarComponent['kind']
  readonly line: number
  readonly properties: string[]
  bytes: number
  /** The number of components that began within it and did not end. */
  depth: number
  problem: string | undefined
}

function createComponentReader() {
  let lineNumber = 0
  let isCalendar = false
  let open: OpenComponent | undefined

  function addTo(component: OpenComponent, text: string, bytes: number): void {
    const [, edge = ''] = EDGE.exec(text) ?? []
    if (edge.toUpperCase() === 'BEGIN') component.depth++
    if (edge.toUpperCase() === 'END') component.depth--
    const isOfPart = component.depth > 0 && component.kind === 'VEVENT'
    const name = /^[a-z-]+/i.exec(text)?.[0].toUpperCase() ?? ''
    if (isOfPart || !PROPERTIES[component.kind].has(name)) return
    if (bytes > MAX_PROPERTY_BYTES && !CUT.has(name)) component.problem ??= `Its ${name} is longer than 32 KiB.`
    component.bytes += text.length
    if (component.bytes > MAX_BYTES) component.problem ??= 'It is larger than 256 KiB.'
    if (component.problem === undefined) component.properties.push(text)
  }

  function end({ kind, line, properties, depth, problem }: OpenComponent): CalendarComponent {
    open = undefined
    return { kind, line, properties, problem: problem ?? (depth === 0 ? undefined : 'It cannot be parsed.') }
  }

  return {
    /** Takes a line, and adds to `found` what it ends. */
    take({ parts, bytes, count }: FoldedLine, found: (CalendarComponent | CalendarProperty)[]): void {
      const line = lineNumber + 1
      lineNumber += count
      if (bytes === 0) return
      const text = textOf(parts)
      if (text === '') return
      const [, edge = '', kind = ''] = EDGE.exec(text) ?? []
      const name = `${edge}:${kind}`.toUpperCase()
      if (!isCalendar && name !== 'BEGIN:VCALENDAR') throw notCalendar()
      isCalendar = true
      if (open !== undefined) {
        if (name === `END:${open.kind}`) found.push(end(open))
        else addTo(open, text, bytes)
      } else if (name === 'BEGIN:VEVENT' || name === 'BEGIN:VTIMEZONE') {
        open = {
          kind: name === 'BEGIN:VEVENT' ? 'VEVENT' : 'VTIMEZONE',
          line,
          properties: [],
          bytes: 0,
          depth: 0,
          problem: undefined,
        }
      } else if (edge === '') found.push({ kind: 'property', text })
    },
    finish(): void {
      if (lineNumber > 0 && !isCalendar) throw notCalendar()
    },
  }
}

const EDGE = /^(BEGIN|END):([a-z0-9-]*)$/i

const UTF_8 = new TextDecoder()

function textOf(parts: readonly Uint8Array[]): string {
  const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts)
  return UTF_8.decode(bytes?.subarray(0, MAX_PROPERTY_BYTES)).trimEnd()
}

const notCalendar = () =>
  new ImportError('The file does not begin with BEGIN:VCALENDAR, so it is not an iCalendar file.')

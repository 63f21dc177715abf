/**
 * Reads the events and time zones of an iCalendar file one by one, so that memory does not depend on the size of the file.
 * RFC 5545, 3.1: a line that begins with a space or a tab continues the line before it, also within a character.
 */

import { ImportError } from '../import/import-error'

export interface CalendarComponent {
  readonly kind: 'VEVENT' | 'VTIMEZONE'
  /** The line of the file with which it begins. */
  readonly line: number
  /** Undefined for a component that is larger than `MAX_BYTES`. */
  readonly text: string | undefined
}

/** A line outside of components, such as `PRODID`. */
export interface CalendarProperty {
  readonly kind: 'property'
  readonly text: string
}

const MAX_BYTES = 256 * 1024
const SPACE = 32
const TAB = 9
const BYTE_ORDER_MARK = /^\uFEFF/

/** Throws `ImportError` for a file in another format. */
export async function* readComponents(
  chunks: AsyncIterable<readonly Uint8Array[]>,
): AsyncGenerator<CalendarComponent | CalendarProperty> {
  const reader = createComponentReader()
  let lines: Uint8Array[] = []
  for await (const chunk of chunks) {
    for (const line of chunk) {
      const isContinued = line[0] === SPACE || line[0] === TAB
      if (isContinued && lines.length > 0) {
        lines.push(line.subarray(1))
        continue
      }
      yield* reader.take(lines)
      lines = [line]
    }
  }
  yield* reader.take(lines)
  reader.finish()
}

function createComponentReader() {
  let lineNumber = 0
  let isCalendar = false
  let open: { kind: CalendarComponent['kind']; line: number; lines: string[]; bytes: number } | undefined

  function begin(text: string, line: number): void {
    const kind = /^BEGIN:(VEVENT|VTIMEZONE)$/i.exec(text)?.[1]?.toUpperCase()
    if (kind === 'VEVENT' || kind === 'VTIMEZONE') open = { kind, line, lines: [], bytes: 0 }
  }

  function addTo(component: NonNullable<typeof open>, text: string): void {
    component.bytes += text.length + 2
    if (component.bytes <= MAX_BYTES) component.lines.push(text)
  }

  return {
    /** Takes the parts of one line. Returns what the line ends. */
    take(parts: readonly Uint8Array[]): (CalendarComponent | CalendarProperty)[] {
      if (parts.length === 0) return []
      const text = textOf(parts, lineNumber === 0)
      const line = lineNumber + 1
      lineNumber += parts.length
      if (text === '') return []
      if (!isCalendar && !/^BEGIN:VCALENDAR$/i.test(text)) throw notCalendar()
      isCalendar = true
      if (open === undefined) begin(text, line)
      if (open === undefined) return [{ kind: 'property', text }]
      addTo(open, text)
      if (text.toUpperCase() !== `END:${open.kind}`) return []
      const { kind, lines, bytes, line: from } = open
      open = undefined
      return [{ kind, line: from, text: bytes > MAX_BYTES ? undefined : lines.join('\r\n') }]
    },
    finish(): void {
      if (lineNumber > 0 && !isCalendar) throw notCalendar()
    },
  }
}

function textOf(parts: readonly Uint8Array[], isFirst: boolean): string {
  const text = new TextDecoder().decode(parts.length === 1 ? parts[0] : Buffer.concat(parts)).trimEnd()
  return isFirst ? text.replace(BYTE_ORDER_MARK, '') : text
}

const notCalendar = () =>
  new ImportError('The file does not begin with BEGIN:VCALENDAR, so it is not an iCalendar file.')

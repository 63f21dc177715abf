/** The headers of a message of a file, before they are parsed. Other headers and bodies are never collected. */

import { isUtf8 } from 'node:buffer'

export const HEADER_NAMES = [
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'bcc',
  'subject',
  'message-id',
  'in-reply-to',
  'references',
  'date',
  'received',
] as const
export type HeaderName = (typeof HEADER_NAMES)[number]

const BY_NAME: ReadonlyMap<string, HeaderName> = new Map(HEADER_NAMES.map((name) => [name, name]))

/** Of the other headers, the first one counts. */
const REPEATABLE: ReadonlySet<HeaderName> = new Set(['reply-to', 'to', 'cc', 'bcc'])

/** A longer header is cut after this many bytes. */
const MAX_HEADER_BYTES = 64 * 1024
/** Further headers of a message are left out. */
const MAX_MESSAGE_BYTES = 256 * 1024

export interface RawMessage {
  /** The line of the file with which the message begins. */
  readonly line: number
  /** The values, without their line breaks, in the order of the file. */
  readonly headers: ReadonlyMap<HeaderName, readonly string[]>
  /** The headers that were cut. */
  readonly cut: ReadonlySet<HeaderName>
  /** Whether headers were left out. */
  readonly isCut: boolean
  /** The name of the file, where several are imported. */
  readonly file?: string
  /** The line that stands before a message of an mbox file. */
  readonly separator?: string
}

export interface HeaderCollector {
  add(line: Uint8Array): void
  finish(): RawMessage
}

interface OpenHeader {
  readonly name: HeaderName
  /** What follows the colon, and the lines that continue it. */
  readonly parts: Uint8Array[]
  bytes: number
}

export function collectHeaders(line: number, separator?: string): HeaderCollector {
  const headers = new Map<HeaderName, string[]>()
  const cut = new Set<HeaderName>()
  let isCut = false
  let bytes = 0
  /** Undefined within a header that is not collected. */
  let open: OpenHeader | undefined

  function addTo(header: OpenHeader, text: Uint8Array): void {
    const ofHeader = text.subarray(0, MAX_HEADER_BYTES - header.bytes)
    const kept = ofHeader.subarray(0, MAX_MESSAGE_BYTES - bytes)
    if (ofHeader.length < text.length) cut.add(header.name)
    if (kept.length < ofHeader.length) isCut = true
    if (kept.length > 0) header.parts.push(kept)
    header.bytes += kept.length
    bytes += kept.length
  }

  function close(): void {
    if (open === undefined) return
    const { name, parts } = open
    const values = headers.get(name)
    if (values === undefined) headers.set(name, [textOf(parts)])
    else values.push(textOf(parts))
    open = undefined
  }

  function begin(text: Uint8Array): void {
    const colon = text.indexOf(COLON)
    const name = colon === -1 || colon > MAX_NAME_BYTES ? undefined : nameOf(text.subarray(0, colon))
    if (name === undefined || (headers.has(name) && !REPEATABLE.has(name))) return
    bytes += name.length
    if (bytes > MAX_MESSAGE_BYTES) {
      isCut = true
      return
    }
    open = { name, parts: [], bytes: 0 }
    addTo(open, text.subarray(colon + 1))
  }

  return {
    add(text) {
      if (text[0] === SPACE || text[0] === TAB) {
        if (open !== undefined) addTo(open, text)
        return
      }
      close()
      begin(text)
    },
    finish() {
      close()
      return { line, headers, cut, isCut, ...(separator === undefined ? {} : { separator }) }
    },
  }
}

/** The headers of a message that is whole in memory. */
export function readHeaders(bytes: Uint8Array): RawMessage {
  const headers = collectHeaders(1)
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, start)
    const next = end === -1 ? bytes.length : end
    const line = bytes.subarray(start, next > start && bytes[next - 1] === CARRIAGE_RETURN ? next - 1 : next)
    if (line.length > 0) headers.add(line)
    start = next + 1
  }
  return headers.finish()
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const COLON = 58
const SPACE = 32
const TAB = 9
/** The longest name, with spaces behind it. */
const MAX_NAME_BYTES = 20

const nameOf = (bytes: Uint8Array): HeaderName | undefined =>
  BY_NAME.get(
    String.fromCharCode(...bytes)
      .trim()
      .toLowerCase(),
  )

const UTF_8 = new TextDecoder('utf-8')
const WINDOWS_1252 = new TextDecoder('windows-1252')

/** A header that is not UTF-8 is taken for the encoding that most such headers have. */
function textOf(parts: readonly Uint8Array[]): string {
  const bytes = Buffer.concat(parts)
  return (isUtf8(bytes) ? UTF_8 : WINDOWS_1252).decode(bytes).replaceAll('\r', ' ').trim()
}

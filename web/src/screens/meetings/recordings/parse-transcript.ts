/** Reads a transcript that a person pasted: lines such as `[01:30] Ada Lovelace: Good morning.` */

import type { Segment } from '../../../api/meetings/call-recordings'

/** The limits of the service. */
const MAX_SEGMENTS = 4000
const MAX_TEXT = 2_000_000
const MAX_NAME = 500
/** How long the last segment takes at most, in seconds. */
const LAST_SECONDS = 10

const TIME = /^\[(?:(\d{1,3}):)?(\d{1,3}):(\d\d)\]/

export type ParsedTranscript = { readonly segments: readonly Segment[] } | { readonly problem: string }

export function parseTranscript(text: string): ParsedTranscript {
  if (text.length > MAX_TEXT) return { problem: 'This transcript is too long.' }
  const lines = text.split('\n').map((line) => line.trim())
  const starts: Omit<Segment, 'end_time'>[] = []
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const segment = parseLine(line)
    if (segment === undefined) return { problem: `Line ${index + 1} must look like “[01:30] Name: text”.` }
    if (segment.start_time < (starts.at(-1)?.start_time ?? 0))
      return { problem: `Line ${index + 1} is earlier than the one before it.` }
    starts.push(segment)
  }
  if (starts.length > MAX_SEGMENTS) return { problem: `A transcript can have at most ${MAX_SEGMENTS} lines.` }
  return { segments: starts.map((segment, index) => ({ ...segment, end_time: endOf(segment, starts[index + 1]) })) }
}

function parseLine(line: string): Omit<Segment, 'end_time'> | undefined {
  const found = TIME.exec(line)
  const colon = found === null ? -1 : line.indexOf(':', found[0].length)
  if (found === null || colon < 0) return undefined
  const [time, hours = '0', minutes = '', seconds = ''] = found
  const name = line.slice(time.length, colon).trim()
  const speech = line.slice(colon + 1).trim()
  if (name === '' || name.length > MAX_NAME || speech === '') return undefined
  return { start_time: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds), speaker: { name }, speech }
}

const endOf = (segment: Pick<Segment, 'start_time'>, next: Pick<Segment, 'start_time'> | undefined): number =>
  next === undefined ? segment.start_time + LAST_SECONDS : next.start_time

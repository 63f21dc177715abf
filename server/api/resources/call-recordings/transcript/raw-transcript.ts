/** Renders a transcript as text. See docs/reference/call-recordings.md (Transcripts). */

import type { Segment } from '#api/resources/call-recordings/schemas'

/** Returns a line for each turn: the consecutive segments of one speaker. */
export function renderRawTranscript(segments: readonly Segment[]): string {
  const turns: { readonly first: Segment; readonly speeches: string[] }[] = []
  for (const segment of segments) {
    const turn = turns.at(-1)
    const speech = oneLine(segment.speech)
    if (turn !== undefined && isSameSpeaker(turn.first, segment)) turn.speeches.push(speech)
    else turns.push({ first: segment, speeches: [speech] })
  }
  return turns.map(({ first, speeches }) => renderTurn(first, speeches)).join('\n')
}

const isSameSpeaker = ({ speaker: one }: Segment, { speaker: other }: Segment): boolean =>
  one.name === other.name && one.email_address === other.email_address

const renderTurn = ({ start_time, speaker }: Segment, speeches: readonly string[]): string =>
  `[${minutesAndSeconds(start_time)}] ${oneLine(speaker.name)}: ${speeches.filter((speech) => speech !== '').join(' ')}`

/** A call of more than 99 minutes has minutes of three digits. */
function minutesAndSeconds(seconds: number): string {
  const whole = Math.floor(seconds)
  return [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

const LINE_BREAKS = /[\n\r\u2028\u2029]+/g

const oneLine = (text: string): string => text.replace(LINE_BREAKS, ' ').trim()

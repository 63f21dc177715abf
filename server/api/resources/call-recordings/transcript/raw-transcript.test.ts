import { expect, test } from 'bun:test'
import type { Segment } from '#api/resources/call-recordings/schemas'
import { renderRawTranscript } from './transcript'

const segment = (start_time: number, name: string, speech: string, email_address?: string): Segment => ({
  speech,
  start_time,
  end_time: start_time + 1,
  speaker: { name, ...(email_address !== undefined && { email_address }) },
})

const cases: readonly (readonly [name: string, segments: Segment[], raw: string])[] = [
  ['nothing for no segments', [], ''],
  ['whole seconds, rounded down', [segment(65.99, 'Ada', 'Hello')], '[01:05] Ada: Hello'],
  ['minutes of three digits', [segment(6000, 'Ada', 'Still here')], '[100:00] Ada: Still here'],
  ['the largest time', [segment(1e9, 'Ada', 'Late')], '[16666666:40] Ada: Late'],
  [
    'consecutive segments of a speaker in one line, with the time of the first one',
    [segment(0, 'Ada', 'One.'), segment(2, 'Ada', 'Two.'), segment(4, 'Bob', 'Three.'), segment(6, 'Ada', 'Four.')],
    '[00:00] Ada: One. Two.\n[00:04] Bob: Three.\n[00:06] Ada: Four.',
  ],
  [
    'two speakers of one name with other addresses in two lines',
    [segment(0, 'Ada', 'One', 'ada@relata.dev'), segment(1, 'Ada', 'Two', 'ada@example.com')],
    '[00:00] Ada: One\n[00:01] Ada: Two',
  ],
  [
    'segments in the order of the body, not of their times',
    [segment(9, 'A', 'b'), segment(1, 'B', 'a')],
    '[00:09] A: b\n[00:01] B: a',
  ],
  ['line breaks as spaces', [segment(0, 'Ada\nL', ' a\r\n\r\nb\u2028c \n')], '[00:00] Ada L: a b c'],
  [
    'no space for empty speech',
    [segment(0, 'Ada', ''), segment(1, 'Ada', 'x'), segment(2, 'Ada', ' ')],
    '[00:00] Ada: x',
  ],
  ['other scripts', [segment(0, 'Ωρίων', '日本語 🎉')], '[00:00] Ωρίων: 日本語 🎉'],
]

test.each(cases)('%s', (_, segments, raw) => {
  expect(renderRawTranscript(segments)).toBe(raw)
})

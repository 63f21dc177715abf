import { describe, expect, test } from 'bun:test'
import { parseTranscript } from './parse-transcript'

test('lines become segments that end where the next one begins', () => {
  const text = '[00:05] Ada Lovelace: Good morning: all.\n\n  [01:00:07] Grace: Hello.  \r\n'
  expect(parseTranscript(text)).toEqual({
    segments: [
      { start_time: 5, end_time: 3607, speaker: { name: 'Ada Lovelace' }, speech: 'Good morning: all.' },
      { start_time: 3607, end_time: 3617, speaker: { name: 'Grace' }, speech: 'Hello.' },
    ],
  })
})

describe('refused', () => {
  const cases: [text: string, problem: string][] = [
    ['Good morning', 'Line 1 must look like “[01:30] Name: text”.'],
    ['[00:05] Ada: Hi\n[00:06] nobody says this', 'Line 2 must look like “[01:30] Name: text”.'],
    ['[00:05] Ada: Hi\n[00:04] Ada: Again', 'Line 2 is earlier than the one before it.'],
    ['[00:01] Ada: x\n'.repeat(4001), 'A transcript can have at most 4000 lines.'],
    ['x'.repeat(2_000_001), 'This transcript is too long.'],
  ]
  test.each(cases)('%.30p', (text, problem) => expect(parseTranscript(text)).toEqual({ problem }))
})

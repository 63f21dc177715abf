/** Transcripts of call recordings. */

import type { Workload } from './workload'

/** How many recordings `makeRecordings` makes. Each has the id of its meeting: this prefix and its number. */
export const RECORDINGS = 100
export const MEETING_PREFIX = '00000000-0000-4000-8000-'

export const TRANSCRIPTS: readonly Workload[] = [
  {
    name: 'transcript',
    title: 'a page of a transcript',
    request: (random) => {
      const id = MEETING_PREFIX + String(1 + random.below(RECORDINGS)).padStart(12, '0')
      return { method: 'GET', path: `/v2/meetings/${id}/call_recordings/${id}/transcript` }
    },
    target: { rate: 0.5 },
    within: 20,
    needs: 'recordings',
  },
]

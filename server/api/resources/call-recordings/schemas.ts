/** Wire shapes of call recordings and transcripts. See docs/reference/call-recordings.md (Members, Transcripts). */

import { type Static, Type } from 'typebox'

const Uuid = Type.String({ format: 'uuid' })

/** Longer texts are refused before they are read. A segment of speech takes minutes at this length. */
const MAX_SPEECH = 10_000
const MAX_NAME = 500
const MAX_EMAIL_ADDRESS = 320
const MAX_SEGMENTS = 4000
const MAX_URL = 2048
/** More than thirty years in seconds. */
const MAX_TIME = 1e9

const SegmentInput = Type.Object({
  speech: Type.String({ maxLength: MAX_SPEECH }),
  start_time: Type.Number({ minimum: 0, maximum: MAX_TIME, description: 'Seconds since the beginning.' }),
  end_time: Type.Number({ description: 'Seconds since the beginning.' }),
  speaker: Type.Object({
    name: Type.String({ maxLength: MAX_NAME }),
    email_address: Type.Optional(Type.String({ format: 'email', maxLength: MAX_EMAIL_ADDRESS })),
  }),
})
export type Segment = Static<typeof SegmentInput>

export const CallRecordingInput = Type.Object({
  video_url: Type.Optional(
    Type.String({
      maxLength: MAX_URL,
      description:
        'An https URL of a file of at most 1 GB, .mp4, .webm, .mp3, .m4a or .wav, whose host answers HEAD with Content-Length.',
    }),
  ),
  transcript: Type.Optional(Type.Array(SegmentInput, { maxItems: MAX_SEGMENTS })),
})
export type CallRecordingInput = Static<typeof CallRecordingInput>

export const CreateCallRecordingBody = Type.Object({ data: CallRecordingInput })

const CallRecordingId = Type.Object({ workspace_id: Uuid, meeting_id: Uuid, call_recording_id: Uuid })
const Actor = Type.Object({ type: Type.String(), id: Type.Union([Uuid, Type.Null()]) })

export const CallRecordingOutput = Type.Object({
  id: CallRecordingId,
  status: Type.Enum(['processing', 'completed', 'failed']),
  web_url: Type.String({ format: 'uri', description: 'The page of the meeting in the console.' }),
  created_by_actor: Actor,
  created_at: Type.String({ format: 'date-time' }),
})
export type CallRecordingOutput = Static<typeof CallRecordingOutput>

const SegmentOutput = Type.Object({
  speech: Type.String(),
  start_time: Type.Number(),
  end_time: Type.Number(),
  speaker: Type.Object({ name: Type.String(), email_address: Type.Optional(Type.String()) }),
})

const RawTranscript = Type.String({ description: 'Lines of the form `[mm:ss] Name: text`.' })

const CallRecordingDetail = Type.Object({
  ...CallRecordingOutput.properties,
  video_url: Type.Union([Type.String({ format: 'uri' }), Type.Null()], {
    description: 'Returns the video or audio, also ranges of it, without a token. Valid for an hour.',
  }),
  media_type: Type.Union([Type.String(), Type.Null()], {
    description: 'The media type of the video or audio, also while it is fetched.',
  }),
  transcript: Type.Union([
    Type.Object({ segments: Type.Array(SegmentOutput), raw_transcript: RawTranscript }),
    Type.Null(),
  ]),
})
export type CallRecordingDetail = Static<typeof CallRecordingDetail>

const Pagination = Type.Object({ next_cursor: Type.Union([Type.String(), Type.Null()]) })

export const CallRecordingAnswer = Type.Object({ data: CallRecordingOutput })
export const CallRecordingDetailAnswer = Type.Object({ data: CallRecordingDetail })
export const CallRecordingsAnswer = Type.Object({ data: Type.Array(CallRecordingOutput), pagination: Pagination })
export const TranscriptAnswer = Type.Object({
  data: Type.Object({
    id: CallRecordingId,
    transcript: Type.Array(SegmentOutput),
    raw_transcript: RawTranscript,
    web_url: Type.String({ format: 'uri' }),
  }),
  pagination: Pagination,
})

/** A cursor of this service is shorter. */
const Cursor = Type.String({ minLength: 1, maxLength: 2000 })
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 }))

export const CallRecordingsQuery = Type.Object({ limit: Limit, cursor: Type.Optional(Cursor) })
export type CallRecordingsQuery = Static<typeof CallRecordingsQuery>

/** The words of a search are looked up one by one. */
const MAX_SEARCH_LENGTH = 256

export const SearchCallRecordingsQuery = Type.Object({
  query: Type.Optional(
    Type.String({
      maxLength: MAX_SEARCH_LENGTH,
      description: 'Words, or their beginnings, that the transcript contains.',
    }),
  ),
  limit: Limit,
  cursor: Type.Optional(Cursor),
})
export type SearchCallRecordingsQuery = Static<typeof SearchCallRecordingsQuery>

export const TranscriptQuery = Type.Object({ cursor: Type.Optional(Cursor) })
export type TranscriptQuery = Static<typeof TranscriptQuery>

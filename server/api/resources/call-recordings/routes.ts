import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText, NO_CONTENT } from '#api/http/response/answer'
import type { Scope } from '#vocabulary/scopes'
import { createCallRecording, deleteCallRecording } from './write'
import { getCallRecording, getTranscript, listCallRecordings, searchCallRecordings } from './read'
import {
  CallRecordingAnswer,
  CallRecordingDetailAnswer,
  CallRecordingsAnswer,
  CallRecordingsQuery,
  CreateCallRecordingBody,
  SearchCallRecordingsQuery,
  TranscriptAnswer,
  TranscriptQuery,
} from './schemas'

const tag = 'Call recordings'
const READ: readonly Scope[] = ['meeting:read', 'call_recording:read']
const WRITE: readonly Scope[] = ['meeting:read', 'call_recording:read-write']
const OF_MEETING = '/v2/meetings/:meeting_id/call_recordings'

/** See docs/reference/call-recordings.md. */
export const callRecordingRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'call-recordings' })
    .get(
      ...guard(
        OF_MEETING,
        {
          operation: 'listCallRecordings',
          summary: 'List the call recordings of a meeting',
          description: 'The oldest first.',
          tag,
          scopes: READ,
          query: CallRecordingsQuery,
          response: CallRecordingsAnswer,
        },
        ({ context, params, query }) => listCallRecordings(context, params.meeting_id, query),
      ),
    )
    .post(
      ...guard(
        OF_MEETING,
        {
          operation: 'createCallRecording',
          summary: 'Create a call recording',
          description: 'From the URL of a video, which is fetched afterwards, from a transcript, or from both.',
          tag,
          scopes: WRITE,
          counts: 'recording',
          usesConfiguredLimit: true,
          body: CreateCallRecordingBody,
          response: CallRecordingAnswer,
        },
        async ({ context, params, body }) => ({
          data: await createCallRecording(context, params.meeting_id, body.data),
        }),
      ),
    )
    .get(
      ...guard(
        `${OF_MEETING}/:call_recording_id`,
        {
          operation: 'getCallRecording',
          summary: 'Get a call recording with its transcript',
          tag,
          scopes: READ,
          response: CallRecordingDetailAnswer,
        },
        async ({ context, params }) => new JsonText(await getCallRecording(context, params)),
      ),
    )
    .delete(
      ...guard(
        `${OF_MEETING}/:call_recording_id`,
        {
          operation: 'deleteCallRecording',
          summary: 'Delete a call recording',
          description: 'With its transcript and its video.',
          tag,
          scopes: WRITE,
          response: undefined,
          status: NO_CONTENT,
        },
        async ({ context, params }) => {
          await deleteCallRecording(context, params)
          return new JsonText('', { status: NO_CONTENT })
        },
      ),
    )
    .get(
      ...guard(
        `${OF_MEETING}/:call_recording_id/transcript`,
        {
          operation: 'getTranscript',
          summary: 'Get a transcript in pages',
          tokenLevel: 'workspace',
          description: 'A page has 1,000 segments; `raw_transcript` is whole on every page.',
          tag,
          scopes: READ,
          query: TranscriptQuery,
          response: TranscriptAnswer,
        },
        async ({ context, params, query }) => new JsonText(await getTranscript(context, params, query)),
      ),
    )
    .get(
      ...guard(
        '/v2/call_recordings',
        {
          operation: 'searchCallRecordings',
          summary: 'List or search the call recordings of all meetings',
          description: 'The newest first; with `query`, those whose transcript has all words.',
          tag,
          scopes: READ,
          query: SearchCallRecordingsQuery,
          response: CallRecordingsAnswer,
        },
        ({ context, query }) => searchCallRecordings(context, query),
      ),
    )

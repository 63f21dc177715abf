/** Creates a meeting, or changes the meeting of an event that changed. */

import type { Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { ApiError } from '#base/errors/api-error'
import { isTransient } from '#base/errors/database'
import { createMeeting } from '#api/resources/meetings/create'
import type { Meeting } from '#api/resources/meetings/meeting'
import { parseParticipants } from '#api/resources/meetings/participants'
import { findMeeting } from '#api/resources/meetings/store'
import { parseTimes } from '#api/resources/meetings/times'
import { saveMeeting } from '#api/resources/meetings/update'
import type { Occurrence } from './event-to-import'
import { type EventRevision, isNewer } from './revision'
import { findImportedEvent, saveImportedEvent } from './store'

export interface OccurrenceWrite {
  readonly occurrence: Occurrence
  /** Undefined when there is no such meeting yet. */
  readonly meetingId: string | undefined
  readonly revision: EventRevision
  readonly uidHash: string
}

type WriteOutcome = 'created' | 'updated' | 'unchanged' | { readonly reason: string }

export async function writeOccurrence(context: RequestContext, write: OccurrenceWrite): Promise<WriteOutcome> {
  const { meetingId } = write
  try {
    if (meetingId === undefined) return await createImported(context, write)
    const outcome = await retryOnConflict(context, (context) => changeImported(context, meetingId, write))
    return outcome ?? (await createImported(context, write))
  } catch (error) {
    if (error instanceof ApiError && !isTransient(error)) return { reason: error.message }
    throw error
  }
}

/** Another writer may have created the meeting since. It stays as it is until the next import. */
async function createImported(context: RequestContext, write: OccurrenceWrite): Promise<'created' | 'unchanged'> {
  const inserted = new Set<string>()
  const { data } = await createMeeting(context, write.occurrence.meeting, async (tx, meetingId) => {
    inserted.add(meetingId)
    await saveRevision(tx, context, meetingId, write)
  })
  return inserted.has(data.id.meeting_id) ? 'created' : 'unchanged'
}

/** Undefined when the meeting was deleted since. */
async function changeImported(
  context: RequestContext,
  meetingId: string,
  write: OccurrenceWrite,
): Promise<'updated' | 'unchanged' | undefined> {
  const { db, model } = context
  const after = stateOf(write.occurrence)
  const outcome = await db.sql.begin(async (tx) => {
    const before = await findMeeting(tx, model.workspace.id, meetingId, 'lock')
    if (before === undefined) return undefined
    const imported = await findImportedEvent(tx, model.workspace.id, meetingId)
    if (imported && !isNewer(write.revision, imported)) return 'unchanged'
    const saved = await saveMeeting(tx, context, before, { ...before, ...after })
    await saveRevision(tx, context, meetingId, write)
    return saved.version === before.version ? 'unchanged' : 'updated'
  })
  return outcome as 'updated' | 'unchanged' | undefined // the driver's type for the callback's result is wider
}

/** What the file says about a meeting. Links that people gave stay. */
function stateOf({ meeting }: Occurrence): Partial<Meeting> {
  const { title, description, participants } = meeting
  return { title, description, participants: parseParticipants(participants), ...parseTimes(meeting) }
}

async function saveRevision(
  tx: Transaction,
  { model }: RequestContext,
  meetingId: string,
  { occurrence: { meeting, contentHash }, revision, uidHash }: OccurrenceWrite,
): Promise<void> {
  const occursAt = meeting.external_ref.original_start_time
  await saveImportedEvent(tx, model.workspace.id, {
    meetingId,
    uidHash,
    occursAt,
    contentHash,
    ...revision,
  })
}

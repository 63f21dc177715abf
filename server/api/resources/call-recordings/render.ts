/** Renders call recordings. See docs/reference/call-recordings.md (Members). */

import { renderInstant } from '#engine/attribute-types/formats/instants'
import { getActor } from '#engine/attribute-types/actor-reference'
import type { DataModel } from '#engine/data-model/model'
import type { CallRecording } from './store'
import type { CallRecordingOutput } from './schemas'

/** Throws `ModelVersionConflict` for an actor that is newer than the data model. */
export const renderCallRecording = (
  model: DataModel,
  appUrl: string,
  { id, meeting_id, status, created_at, created_by }: CallRecording,
): CallRecordingOutput => ({
  id: { workspace_id: model.workspace.id, meeting_id, call_recording_id: id },
  status,
  web_url: `${appUrl}/${model.workspace.slug}/meetings/${meeting_id}?recording=${id}`,
  created_by_actor: getActor(model, created_by),
  created_at: renderInstant(created_at, null),
})

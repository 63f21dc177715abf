/** Renders files and folders. See docs/reference/files.md (Members). */

import { renderInstant } from '#engine/attribute-types/formats/instants'
import type { ApiContext } from '#context'
import { type Actor, type DataModel, ModelVersionConflict } from '#engine/data-model/model'
import type { FileEntryOutput } from './schemas'
import type { FileRow } from './store'

const SYSTEM: Actor = { type: 'system', id: null }

/** Throws `ModelVersionConflict` for an object or an actor that is newer than the data model. */
export function renderFile({ model, brand }: Pick<ApiContext, 'model' | 'brand'>, row: FileRow): FileEntryOutput {
  const common = {
    id: { workspace_id: model.workspace.id, file_id: row.id },
    object_id: row.object_id,
    object_slug: slugOf(model, row.object_id),
    record_id: row.record_id,
    storage_provider: row.storage_provider ?? brand,
    created_by_actor: actorOf(model, row.created_by),
    created_at: renderInstant(row.created_at, null),
  }
  const { name, parent_folder_id, external_provider_file_id, microsoft_drive_id } = row
  // The constraints of the table: native entries have a name, connected ones have the id of the provider.
  if (row.file_type === 'folder') return { ...common, file_type: 'folder', name: name ?? '', parent_folder_id }
  if (row.file_type === 'file') {
    const content = { content_type: row.content_type, content_size: Number(row.content_size) }
    return { ...common, file_type: 'file', name: name ?? '', ...content, parent_folder_id, note_id: row.note_id }
  }
  return {
    ...common,
    file_type: row.file_type === 'connected-file' ? 'connected-file' : 'connected-folder',
    external_provider_file_id: external_provider_file_id ?? '',
    microsoft_drive_id,
    url: row.url ?? addressOf(row),
  }
}

/** The address that follows from the id, for the providers that have such addresses. */
function addressOf({ storage_provider, file_type, external_provider_file_id }: FileRow): string | null {
  const id = encodeURIComponent(external_provider_file_id ?? '')
  if (storage_provider === 'google-drive') return `https://drive.google.com/open?id=${id}`
  if (storage_provider !== 'box') return null
  return `https://app.box.com/${file_type === 'connected-file' ? 'file' : 'folder'}/${id}`
}

function slugOf(model: DataModel, objectId: string): string {
  const object = model.entityTypesById.get(objectId)
  if (object === undefined) throw new ModelVersionConflict(`Object ${objectId} is not in the data model.`)
  return object.api_slug
}

function actorOf(model: DataModel, number: number): Actor {
  if (number === 0) return SYSTEM
  const actor = model.actors.get(number)
  if (actor === undefined) throw new ModelVersionConflict(`Actor ${number} is not in the data model.`)
  return actor
}

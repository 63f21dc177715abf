/**
 * The data models a process knows, each kept until someone, here or in another process, says that it changed. Reads may
 * lag by milliseconds; writes check the version in their own transaction.
 */

import type { Database } from '../../db/connect'
import { DATA_MODEL_CHANNEL } from './change'
import { loadDataModel } from './load'
import type { DataModel } from './model'

export interface ModelCache {
  /** The model as known; loaded when it is not. */
  get(workspaceId: string): Promise<DataModel>
  /** The model as it is now or later, never older. */
  reload(workspaceId: string): Promise<DataModel>
  close(): Promise<void>
}

interface Loading {
  readonly model: Promise<DataModel>
  isDone: boolean
  /** The load that follows this one, for those who asked while it ran. */
  next?: Promise<DataModel>
}

/** A cache that listens for changes; on every new connection of the listener it forgets all it knew. */
export async function createModelCache(db: Database): Promise<ModelCache> {
  const known = new Map<string, Loading>()

  function load(workspaceId: string): Promise<DataModel> {
    const loading: Loading = { model: loadDataModel(db, workspaceId), isDone: false }
    known.set(workspaceId, loading)
    loading.model
      .catch(() => known.get(workspaceId) === loading && known.delete(workspaceId))
      .finally(() => (loading.isDone = true))
    return loading.model
  }

  function reload(workspaceId: string): Promise<DataModel> {
    const current = known.get(workspaceId)
    if (!current || current.isDone) return load(workspaceId)
    current.next ??= current.model.then(
      () => load(workspaceId),
      () => load(workspaceId),
    )
    return current.next
  }

  const listener = await db.sql.listen(
    DATA_MODEL_CHANNEL,
    (workspaceId) => known.delete(workspaceId),
    () => known.clear(),
  )
  return {
    get: (workspaceId) => known.get(workspaceId)?.model ?? load(workspaceId),
    reload,
    close: () => listener.unlisten(),
  }
}

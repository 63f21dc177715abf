/**
 * Caches data models in the process. A notification, from this process or another, removes a changed one. Reads may lag by
 * milliseconds; writes check the version in their transaction.
 */

import type { Database } from '#db/connect'
import { createLru } from '#base/caching/caching'
import { collectGarbageOfWork } from '#base/memory/collect-garbage'
import { loadDataModel } from './load'
import type { DataModel } from './model'

/** The notification channel for changes of data models. The payload is the workspace's id. */
export const DATA_MODEL_CHANNEL = 'relata_data_model'

export interface ModelCache {
  /** Returns the cached model, or loads it. */
  get(workspaceId: string): Promise<DataModel>
  /** Returns a model of this version or a later one. */
  getSince(workspaceId: string, version: number): Promise<DataModel>
  /** Returns a model that was loaded after this call. */
  reload(workspaceId: string): Promise<DataModel>
  /** Removes the cached model after a change, so that the next call loads it. */
  remove(workspaceId: string): void
  /** Calls a function whenever a model may have changed, in this process or another. Returns a function that ends the calls. */
  onChange(notify: (workspaceId: string) => void): () => void
  close(): Promise<void>
}

interface Loading {
  readonly model: Promise<DataModel>
  isDone: boolean
  /** The load after this one, for calls of `reload` while this one runs. */
  next?: Promise<DataModel>
}

/** A model with its renderers and statements takes 90 to 130 kB. Loading one takes 2 ms of processor time, PostgreSQL included. */
const MAX_MODELS = 500
/** The garbage of loading lies between models that are kept, so the process would grow by it. */
const LOADS_PER_COLLECTION = 100

/**
 * Caches the models of the workspaces used last, at most `maxModels`. Clears the cache on every new connection of its
 * listener, because notifications may have been lost.
 */
export async function createModelCache(
  db: Database,
  maxModels = MAX_MODELS,
  collect: () => void = collectGarbageOfWork,
): Promise<ModelCache> {
  const cache = createLru<string, Loading>(maxModels)
  let loads = 0

  function load(workspaceId: string): Promise<DataModel> {
    const loading: Loading = { model: loadDataModel(db, workspaceId), isDone: false }
    cache.set(workspaceId, loading)
    loading.model
      .catch(() => cache.get(workspaceId) === loading && cache.delete(workspaceId))
      .finally(() => (loading.isDone = true))
    // While PostgreSQL answers.
    if (++loads % LOADS_PER_COLLECTION === 0) collect()
    return loading.model
  }

  function reload(workspaceId: string): Promise<DataModel> {
    const current = cache.get(workspaceId)
    if (!current || current.isDone) return load(workspaceId)
    current.next ??= current.model.then(
      () => load(workspaceId),
      () => load(workspaceId),
    )
    return current.next
  }

  const get = (workspaceId: string): Promise<DataModel> => cache.get(workspaceId)?.model ?? load(workspaceId)

  const observers = new Set<(workspaceId: string) => void>()
  const remove = (workspaceId: string) => {
    cache.delete(workspaceId)
    for (const notify of observers) notify(workspaceId)
  }

  const listener = await db.sql.listen(DATA_MODEL_CHANNEL, remove, () => cache.clear())
  return {
    get,
    async getSince(workspaceId, version) {
      const model = await get(workspaceId)
      return model.version >= version ? model : reload(workspaceId)
    },
    reload,
    remove,
    onChange(notify) {
      observers.add(notify)
      return () => observers.delete(notify)
    },
    close: () => listener.unlisten(),
  }
}

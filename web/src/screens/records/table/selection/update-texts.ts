/** What the update of many rows is called, with its undo: by the service for jobs over records, and from here for batches. */

import type { EntityTypePath } from '../../../../api/data-model/attributes'
import { type Job, undoJob } from '../../../../api/records/bulk'
import { BulkRun, bulkRuns, inBatches, type RunTexts } from '../../../../state/bulk-runs.svelte'
import { toasts } from '../../../../state/toasts.svelte'
import type { Nouns } from '../nouns'
import type { BatchUndo } from './batch-undo'

export const updateTexts = (nouns: Nouns): RunTexts => ({
  progress: 'Updating',
  done: (count) => `${nouns.count(count)} updated`,
})

/** The service does not store the values of entries before the update, so jobs over lists are not undone. */
export const undoableTexts = (entityType: EntityTypePath, nouns: Nouns, { id }: Job): RunTexts =>
  entityType.kind === 'objects'
    ? { ...updateTexts(nouns), action: { label: 'Undo', act: () => undo(entityType, nouns, id.job_id) } }
    : updateTexts(nouns)

/** Of an update that is sent in batches. */
export const batchTexts = (entityType: EntityTypePath, nouns: Nouns, batches: BatchUndo): RunTexts => ({
  ...updateTexts(nouns),
  action: {
    label: 'Undo',
    act: () => {
      const { ids } = batches
      const run = new BulkRun(entityType, undoTexts(nouns), ids.length)
      void bulkRuns.write(run, inBatches(ids), (batch) => batches.putBack(batch))
    },
  },
})

async function undo(entityType: EntityTypePath, nouns: Nouns, id: string): Promise<void> {
  try {
    void bulkRuns.follow(entityType, undoTexts(nouns), await undoJob(id))
  } catch (error) {
    toasts.fail(error)
  }
}

export const undoTexts = (nouns: Nouns): RunTexts => ({
  progress: 'Undoing an update',
  done: (count, kept = 0) =>
    `${nouns.count(count)} put back${kept > 0 ? `. ${nouns.count(kept)} changed since then and ${kept === 1 ? 'stays' : 'stay'}` : ''}`,
})

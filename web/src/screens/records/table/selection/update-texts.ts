/** What the update of many rows is called, with its undo where it is a job. */

import type { EntityTypePath } from '../../../../api/data-model/attributes'
import { type Job, undoJob } from '../../../../api/records/bulk'
import { bulkRuns, type RunTexts } from '../../../../state/bulk-runs.svelte'
import { toasts } from '../../../../state/toasts.svelte'
import type { Nouns } from '../nouns'

export const updateTexts = (nouns: Nouns): RunTexts => ({
  progress: 'Updating',
  done: (count) => `${nouns.count(count)} updated`,
})

export const undoableTexts = (entityType: EntityTypePath, nouns: Nouns, { id }: Job): RunTexts => ({
  ...updateTexts(nouns),
  action: { label: 'Undo', act: () => undo(entityType, nouns, id.job_id) },
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

import type { EntityTypePath } from '../../../../api/data-model/attributes'
import { type Job, listJobs } from '../../../../api/records/bulk'
import { bulkRuns, type RunTexts } from '../../../../state/bulk-runs.svelte'
import type { Nouns } from '../nouns'
import { undoableTexts, undoTexts } from './update-texts'

/** Shows the progress of the jobs over an object, an activity or a list that still run, such as those that were begun before a reload. */
export async function followRunningJobs(entityType: EntityTypePath, id: string, nouns: Nouns): Promise<void> {
  for (const job of await listJobs()) {
    if (job.ended_at === null && (job.object_id ?? job.activity_id ?? job.list_id) === id)
      void bulkRuns.follow(entityType, textsOf(entityType, job, nouns), job)
  }
}

const WORDS = {
  delete: { progress: 'Deleting', done: 'deleted' },
  undo_import: { progress: 'Undoing an import', done: 'undone' },
} as const satisfies Partial<Record<Job['operation'], { progress: string; done: string }>>

function textsOf(entityType: EntityTypePath, job: Job, nouns: Nouns): RunTexts {
  const { operation } = job
  if (operation === 'update') return undoableTexts(entityType, nouns, job)
  if (operation === 'undo_update') return undoTexts(nouns)
  const { progress, done } = WORDS[operation]
  return { progress, done: (count) => `${nouns.count(count)} ${done}` }
}

/** The labels of the states of an import. */

import type { ImportOutput, ImportState } from '../../../api/records/imports'
import { numberText } from '../../../values/formats'

interface Shown {
  readonly label: string
  readonly tone: 'plain' | 'accent' | 'success' | 'warning' | 'danger'
}

export const STATES: Readonly<Record<ImportState, Shown>> = {
  uploading: { label: 'Uploading', tone: 'plain' },
  ready: { label: 'Not started', tone: 'plain' },
  waiting: { label: 'Queued', tone: 'accent' },
  running: { label: 'Running', tone: 'accent' },
  finished: { label: 'Finished', tone: 'success' },
  cancelled: { label: 'Cancelled', tone: 'warning' },
  failed: { label: 'Failed', tone: 'danger' },
}

export const isInProgress = (state: ImportState): boolean => state === 'waiting' || state === 'running'

/** "120 created, 3 updated, 1 skipped"; "No rows" for an empty file. */
export function countsText({ created, updated, unchanged, skipped }: ImportOutput['counts']): string {
  const parts = Object.entries({ created, updated, unchanged, skipped }).filter(([, count]) => count > 0)
  return parts.length === 0 ? 'No rows' : parts.map(([word, count]) => `${numberText(count)} ${word}`).join(', ')
}

/** Whether an import can be undone, and the words for what its undo does. */

import type { ImportOutput, UndoPreview } from '../../../../api/records/imports'
import { numberText } from '../../../../values/formats'
import type { Nouns } from '../../table/nouns'
import { isNew } from '../setup/targets'
import { recoveryText } from '../../trash/show-deleted'

type Undo = Pick<ImportOutput, 'undo'>
export type UndoJob = NonNullable<ImportOutput['undo']['job']>

const isInTime = ({ undo }: Undo): boolean => undo.until !== null && Date.parse(undo.until) > Date.now()

export const isUndoing = ({ undo }: Undo): boolean => undo.job !== null && undo.job.ended_at === null

/** An undo that was cancelled, or that left something undone, may be followed by another. */
export function canUndo(one: Undo): boolean {
  const { job } = one.undo
  const isOpen = job === null || (job.ended_at !== null && (job.status !== 'completed' || job.failed > 0))
  return isOpen && isInTime(one)
}

/** Whether it is too late. */
export const isExpired = (one: Undo): boolean => one.undo.until !== null && one.undo.job === null && !isInTime(one)

/** The sentences of the confirmation. None if there is nothing to undo. */
export function previewTexts(
  { created, changed, updated }: UndoPreview,
  { plan }: Pick<ImportOutput, 'plan'>,
  nouns: Nouns,
): readonly string[] {
  const trashed = created - changed
  if (created + updated === 0) return []
  return [
    ...(trashed > 0
      ? [`${nouns.count(trashed)} created by this import ${moves(trashed)} to the trash. ${recoveryText('them')}`]
      : []),
    ...(updated > 0 ? [`${nouns.count(updated)} updated by it ${gets(updated)} earlier values back.`] : []),
    ...(changed > 0 ? [`${keptText(changed, nouns)}.`] : []),
    ...(trashed > 0 ? ['New records with notes, tasks, comments or files stay.'] : []),
    ...(Object.values(plan?.columns ?? {}).some(isNew) ? ['Attributes and options that it created stay.'] : []),
  ]
}

const moves = (count: number) => (count === 1 ? 'moves' : 'move')
const gets = (count: number) => (count === 1 ? 'gets its' : 'get their')

/** "3 people were changed since and stay". */
const keptText = (count: number, nouns: Nouns): string =>
  `${nouns.count(count)} ${count === 1 ? 'was changed since and stays' : 'were changed since and stay'}`

const STARTS: Readonly<Record<UndoJob['status'], string>> = {
  running: 'Undoing:',
  completed: 'Import undone:',
  cancelled: 'Undo cancelled after',
  failed: 'Undo failed after',
}

/** What the undo did with the records, as far as the counts of the import tell it. */
function undoneText({ created, updated }: ImportOutput['counts']): string {
  if (updated === 0) return 'moved to the trash'
  return created === 0 ? 'restored' : 'moved to the trash or restored'
}

/** What an undo that has ended did. */
export function resultText(
  { status, done, failed, kept, errors, failure }: UndoJob,
  { counts }: Pick<ImportOutput, 'counts'>,
  nouns: Nouns,
): string {
  const refusal = errors.find(({ error }) => error.code !== 'changed_since_import')?.error.message
  return [
    `${STARTS[status]} ${nouns.count(done)} ${undoneText(counts)}.`,
    ...(kept > 0 ? [`${keptText(kept, nouns)}.`] : []),
    ...(failed > 0 ? [`${numberText(failed)} failed. ${refusal ?? ''}`.trim()] : []),
    ...(failure === null ? [] : [failure]),
  ].join(' ')
}

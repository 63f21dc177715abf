/** The kinds and states of indexes in words. */

import type { WorkspaceIndex } from '../../../api/data-model/indexes'
import { numberText } from '../../../values/formats'

export const KINDS: Readonly<Record<string, string>> = {
  ordered: 'For ranges and ascending sorts',
  descending: 'For descending sorts',
  exact: 'For equal values',
  elements: 'For one of several values',
  trigram: 'For parts of text',
  composite: 'For equal values with a sort',
  partial: 'For one fixed value with a sort',
  covering: 'For charts and totals of many records',
}

interface StateText {
  readonly label: string
  readonly tone: 'plain' | 'accent' | 'success' | 'danger'
}

export const STATES: Readonly<Record<WorkspaceIndex['state'], StateText>> = {
  wanted: { label: 'Requested', tone: 'plain' },
  building: { label: 'Building', tone: 'accent' },
  ready: { label: 'Ready', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
  refused: { label: 'Dropped', tone: 'plain' },
}

/** "once", "1,234 times". */
export const times = (count: number): string => (count === 1 ? 'once' : `${numberText(count)} times`)

/** What the state of a connected account means, in words. */

import type { Account, Sharing } from '../../../api/access/connected-accounts'
import { formatDay } from '../../../components/display/times'
import { numberText } from '../../../values/formats'

export const SHARING_OPTIONS: readonly { readonly value: Sharing; readonly label: string }[] = [
  { value: 'everything', label: 'Participants, time and subject' },
  { value: 'exchange', label: 'Participants and time' },
  { value: 'nothing', label: 'Nothing' },
]

/** How far back an account is read: days as text, or everything. */
export const HISTORY_OPTIONS = [
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '1825', label: 'Five years' },
  { value: 'all', label: 'Everything' },
] as const
export type History = (typeof HISTORY_OPTIONS)[number]['value']

export const historyOf = (days: number | null): History =>
  HISTORY_OPTIONS.find(({ value }) => value === String(days))?.value ?? 'all'
export const daysOf = (history: History): number | null => (history === 'all' ? null : Number(history))

interface StateBadge {
  readonly tone: 'plain' | 'accent' | 'success' | 'warning' | 'danger'
  readonly text: string
}

export function badgeOf({ state, progress, provider, synced_at }: Account): StateBadge {
  if (state === 'removing') return { tone: 'plain', text: 'Removing' }
  if (state === 'sign-in-required')
    return { tone: 'danger', text: provider === null ? 'Password needed' : 'Sign-in needed' }
  if (state === 'failing') return { tone: 'warning', text: 'Retrying' }
  if (synced_at === null || progress.phase !== 'complete') return { tone: 'accent', text: 'Reading' }
  return { tone: 'success', text: 'Up to date' }
}

/** "1,200 emails stored, back to May 3, 2024" */
export function progressText({ progress: { stored, back_to } }: Account): string {
  const count = stored === 1 ? '1 email stored' : `${numberText(stored)} emails stored`
  return back_to === null ? count : `${count}, back to ${formatDay(back_to)}`
}

export const isReading = ({ state, progress }: Account): boolean => state === 'active' && progress.phase !== 'complete'

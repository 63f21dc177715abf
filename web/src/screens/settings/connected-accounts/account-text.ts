/** What the state of a connected account means, in words. */

import type { Account, AccountKind, Sharing } from '../../../api/access/connected-accounts'
import { formatDay } from '../../../components/display/times'
import { session } from '../../../state/session.svelte'
import { numberText } from '../../../values/formats'

interface SharingOption {
  readonly value: Sharing
  readonly label: string
}

export const sharingOptions = (kind: AccountKind): readonly SharingOption[] => [
  { value: 'everything', label: `Participants, time${everythingElseOf(kind)}` },
  { value: 'exchange', label: 'Participants and time' },
  { value: 'nothing', label: 'Nothing' },
]

function everythingElseOf(kind: AccountKind): string {
  if (kind !== 'imap') return ', title and description'
  return session.workspace?.stores_email_texts === true ? ', subject and text' : ' and subject'
}

/** What can be connected. */
export const KINDS: readonly { readonly value: AccountKind; readonly label: string }[] = [
  { value: 'imap', label: 'Email' },
  { value: 'caldav', label: 'Calendars' },
  { value: 'ics', label: 'Calendar address' },
]

/** How lists and buttons call an account. */
export function nameOf(account: Account): string {
  if (account.kind === 'ics') return account.settings.name
  return nameOfServerAccount(account.kind, account.email_address)
}

export const nameOfServerAccount = (kind: 'imap' | 'caldav', address: string): string =>
  kind === 'caldav' ? `Calendars of ${address}` : address

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

export function badgeOf(account: Account): StateBadge {
  const { state, progress, synced_at } = account
  if (state === 'removing') return { tone: 'plain', text: 'Removing' }
  if (state === 'sign-in-required') return { tone: 'danger', text: missingText(account) }
  if (state === 'failing') return { tone: 'warning', text: 'Retrying' }
  if (synced_at === null || progress.phase !== 'complete') return { tone: 'accent', text: 'Reading' }
  return { tone: 'success', text: 'Up to date' }
}

function missingText({ kind, provider }: Account): string {
  if (provider !== null) return 'Sign-in needed'
  return kind === 'ics' ? 'Address needed' : 'Password needed'
}

/** "1,200 emails stored, back to May 3, 2024" */
export function progressText({ kind, progress: { stored, back_to } }: Account): string {
  const emails = stored === 1 ? '1 email stored' : `${numberText(stored)} emails stored`
  const meetings = stored === 1 ? '1 meeting stored' : `${numberText(stored)} meetings stored`
  const count = kind === 'imap' ? emails : meetings
  return back_to === null ? count : `${count}, back to ${formatDay(back_to)}`
}

/** "The texts of 1,200 emails are still to be read" */
export const textsLeftText = (count: number): string =>
  count === 1
    ? 'The text of 1 email is still to be read'
    : `The texts of ${numberText(count)} emails are still to be read`

/** "3 messages were skipped" */
export function problemsText({ kind, progress: { problem_count: count } }: Account): string {
  const messages = count === 1 ? '1 message was skipped' : `${numberText(count)} messages were skipped`
  const events = count === 1 ? '1 event was skipped' : `${numberText(count)} events were skipped`
  return kind === 'imap' ? messages : events
}

export const isReading = ({ state, progress }: Account): boolean => state === 'active' && progress.phase !== 'complete'

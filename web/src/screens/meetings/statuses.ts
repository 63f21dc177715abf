/** The answers of participants. */

import type { Participant } from '../../api/meetings/meetings'

export const STATUSES: readonly { readonly value: Participant['status']; readonly label: string }[] = [
  { value: 'accepted', label: 'Accepted' },
  { value: 'tentative', label: 'Tentative' },
  { value: 'declined', label: 'Declined' },
  { value: 'pending', label: 'No answer' },
]

export const statusLabel = (status: Participant['status']): string =>
  STATUSES.find(({ value }) => value === status)?.label ?? status

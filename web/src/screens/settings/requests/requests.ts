/** Which requests the page shows. */

import type { RecentRequest } from '../../../api/access/recent-requests'

export type Selection = '' | 'errors' | 'ignored'

export const SELECTIONS: readonly { readonly value: Selection; readonly label: string }[] = [
  { value: '', label: 'All requests' },
  { value: 'errors', label: 'Errors' },
  { value: 'ignored', label: 'With ignored members' },
]

const SELECTED: Readonly<Record<Selection, (request: RecentRequest) => boolean>> = {
  '': () => true,
  errors: ({ status }) => status >= 400,
  ignored: ({ ignored }) => ignored !== null,
}

export const isSelection = (text: string): text is Selection => Object.hasOwn(SELECTED, text)

export const clientOf = ({ client_name }: RecentRequest): string => client_name ?? 'A deleted client'

/** `client` is the name of a key or an app; empty for all. */
export const selectRequests = (
  requests: readonly RecentRequest[],
  selection: Selection,
  client: string,
): readonly RecentRequest[] =>
  requests.filter((request) => SELECTED[selection](request) && (client === '' || clientOf(request) === client))

/** The names of the keys and apps of the requests, for the selection of one. `chosen` is among them in any case. */
export const clientOptions = (requests: readonly RecentRequest[], chosen: string) => {
  const names = new Set([...requests.map(clientOf), ...(chosen === '' ? [] : [chosen])])
  return [
    { value: '', label: 'All keys and apps' },
    ...[...names].toSorted((one, other) => one.localeCompare(other)).map((name) => ({ value: name, label: name })),
  ]
}

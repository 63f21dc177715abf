/** The filters of a dashboard in words. */

import { parsePeriod } from '#vocabulary/relative-periods'
import { actorName } from '../../state/actors.svelte'
import { periodText } from '../records/filter/period-text'

export function periodLabel(name: string): string {
  const period = parsePeriod(name)
  const text = period ? periodText(period).replace(/^in the /, '') : name
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function ownerText(owner: string): string {
  if (owner === 'me') return 'Me'
  return owner === 'my_teams' ? 'My teams' : actorName({ type: 'workspace-member', id: owner })
}

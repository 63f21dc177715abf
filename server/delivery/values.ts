/** Values in what webhooks are told, for those who ask for them. Spec: webhooks 8; decision 0067. */

import type { EventType, ToldValues } from '../events/kinds'
import { grants, type Scope } from '../scopes'
import type { Subscription } from './subscription'

/** The kinds of events that say what changed, and what one must be allowed to do to read that. */
export const VALUE_SCOPES: Partial<Readonly<Record<EventType, readonly Scope[]>>> = {
  'record.updated': ['record_permission:read', 'object_configuration:read'],
  'list-entry.updated': ['list_entry:read', 'list_configuration:read'],
}

export const asksForValues = ({ include }: Subscription): boolean => include?.includes('values') === true

/** `scopes` are null for whoever may do everything. */
export function mayReadValues(scopes: readonly string[] | null, eventType: EventType): boolean {
  if (scopes === null) return true
  const granted = new Set(scopes) as ReadonlySet<Scope> // what else there may be among them grants nothing
  return (VALUE_SCOPES[eventType] ?? []).every((scope) => grants(granted, scope))
}

/** The text of an event with two more members; null where there is nothing to tell. */
export const withValues = (event: string, values: ToldValues | undefined): string =>
  `${event.slice(0, -1)},"new_values":${values?.new ?? null},"previous_values":${values?.previous ?? null}}`

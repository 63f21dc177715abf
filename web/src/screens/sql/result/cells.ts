/** Values of a result as text, and what kind of cell they have. */

import { textOfCell } from '#vocabulary/sql-cells'
import { instantText, dayText } from '../../../values/formats'

export interface RecordPointer {
  readonly objectId: string
  readonly recordId: string
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The record to which a value refers; undefined for other values. */
export function recordIn(value: unknown): RecordPointer | undefined {
  if (!isObject(value)) return undefined
  const { entity_definition_id: objectId, entity_instance_id: recordId } = value
  return typeof objectId === 'string' && typeof recordId === 'string' ? { objectId, recordId } : undefined
}

/** The actor of a value; undefined for other values. */
export function actorIn(value: unknown): { readonly type: string; readonly id: string | null } | undefined {
  if (!isObject(value) || typeof value.actor_type !== 'string' || !('actor_id' in value)) return undefined
  return { type: value.actor_type, id: typeof value.actor_id === 'string' ? value.actor_id : null }
}

/** The text of a cell. Times are in the locale of the browser. */
export const cellText = (value: unknown, type: string): string => textOfCell(value, type, { dayText, instantText })

/** The whole value, as the API returned it. */
export const exactText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? 'null' : JSON.stringify(value, null, 2)

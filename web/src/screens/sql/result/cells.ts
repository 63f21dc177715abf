/** Values of a result as text, and what kind of cell they have. */

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
export function cellText(value: unknown, type: string): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return scalarText(value, type)
  if (Array.isArray(value)) return value.map((item) => cellText(item, itemType(type))).join(', ')
  if (isObject(value) && typeof value.full_name === 'string') return value.full_name
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The type of the elements of an array. */
export const itemType = (type: string): string => type.replace(/\[\]$/, '')

function scalarText(value: string, type: string): string {
  if (type === 'date') return dayText(value)
  return type.startsWith('timestamp') ? instantText(value) : value
}

/** The whole value, as the API returned it. */
export const exactText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? 'null' : JSON.stringify(value, null, 2)

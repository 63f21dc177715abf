/**
 * Adds `updated_at` and `updated_by`, which every entity type has without a row in a control table.
 * See docs/reference/objects-and-attributes.md (System attributes).
 */

import type { Attribute, EntityType } from './model'

const VIRTUAL = [
  { number: -1, api_slug: 'updated_at', title: 'Updated at', type: 'timestamp' },
  { number: -2, api_slug: 'updated_by', title: 'Updated by', type: 'actor-reference' },
] as const

/** Inserts the virtual attributes after the system attributes. An attribute with the same slug replaces a virtual one. */
export function withVirtualAttributes(
  entityType: Pick<EntityType, 'id' | 'created_at'>,
  attributes: readonly Attribute[],
): Attribute[] {
  const taken = new Set(attributes.map(({ api_slug }) => api_slug))
  const virtual = VIRTUAL.filter(({ api_slug }) => !taken.has(api_slug)).map((each) =>
    virtualAttribute(entityType, each),
  )
  const firstCustom = attributes.findIndex(({ is_system_attribute }) => !is_system_attribute)
  const at = firstCustom < 0 ? attributes.length : firstCustom
  return [...attributes.slice(0, at), ...virtual, ...attributes.slice(at)]
}

const virtualAttribute = (
  entityType: Pick<EntityType, 'id' | 'created_at'>,
  { number, api_slug, title, type }: (typeof VIRTUAL)[number],
): Attribute => ({
  id: derivedUuid(entityType.id, api_slug),
  number,
  entity_type_id: entityType.id,
  title,
  description: null,
  api_slug,
  type,
  is_system_attribute: true,
  is_writable: false,
  is_required: false,
  is_unique: false,
  is_multiselect: false,
  is_default_value_enabled: false,
  is_archived: false,
  has_history: false,
  default_value: null,
  config: {},
  stored_in: 'entity',
  relationship_attribute_id: null,
  created_at: entityType.created_at,
  options: [],
})

/** A UUID of version 5 with the entity type's id as namespace, so that every process derives the same id. */
function derivedUuid(namespace: string, name: string): string {
  const bytes = new Bun.CryptoHasher('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

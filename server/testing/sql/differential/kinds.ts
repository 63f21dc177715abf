/** The SQL types of columns, and the members of those that have members. See docs/reference/sql.md. */

export type Scalar = 'text' | 'numeric' | 'boolean' | 'date' | 'timestamptz' | 'uuid'
export type Kind = Scalar | keyof typeof MEMBERS

export const MEMBERS = {
  record_reference: { entity_definition_id: 'uuid', entity_instance_id: 'uuid' },
  personal_name: { first_name: 'text', last_name: 'text', full_name: 'text' },
  actor_reference: { actor_type: 'text', actor_id: 'uuid' },
  interaction: { interaction_type: 'text', interacted_at: 'timestamptz', owner_actor_id: 'uuid' },
  location: {
    line_1: 'text',
    line_2: 'text',
    line_3: 'text',
    line_4: 'text',
    locality: 'text',
    region: 'text',
    postcode: 'text',
    country_code: 'text',
    latitude: 'text',
    longitude: 'text',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Scalar>>>>

export const KIND_OF_TYPE: Readonly<Record<string, Kind>> = {
  text: 'text',
  select: 'text',
  status: 'text',
  'email-address': 'text',
  domain: 'text',
  'phone-number': 'text',
  number: 'numeric',
  rating: 'numeric',
  currency: 'numeric',
  checkbox: 'boolean',
  date: 'date',
  timestamp: 'timestamptz',
  'personal-name': 'personal_name',
  location: 'location',
  'actor-reference': 'actor_reference',
  interaction: 'interaction',
  'record-reference': 'record_reference',
}

export interface Column {
  readonly name: string
  readonly kind: Kind
  readonly isArray: boolean
}

export interface Table {
  readonly schema: 'objects' | 'lists'
  readonly name: string
  readonly columns: readonly Column[]
}

export const isStruct = (kind: Kind): kind is keyof typeof MEMBERS => kind in MEMBERS

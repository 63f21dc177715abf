/**
 * The schemas that activities extend, and the system activities. An activity gets the attributes of its schema, and of those
 * that the schema extends, when it is created. See docs/reference/activities.md (Schemas); docs/decisions/activities.md.
 */

import type { ActivitySchemaSlug } from '#vocabulary/data-model'
import type { InteractionType } from '#engine/attribute-types/interaction'
import type { StandardAttribute } from './build-attribute'

interface ActivitySchema {
  readonly schema_id: string
  readonly extends?: ActivitySchemaSlug
  /** As what its records count in interaction attributes, if that attribute does not say; absent where they do not count. */
  readonly interactionType?: InteractionType
  readonly attributes: readonly StandardAttribute[]
  /** Attributes that schemas that extend this one do not get. */
  readonly notInherited?: readonly StandardAttribute[]
}

const NOW = { type: 'dynamic', template: 'PT0S' } as const

const direction: StandardAttribute = {
  title: 'Direction',
  api_slug: 'direction',
  type: 'select',
  option_titles: ['Inbound', 'Outbound'],
}

/** By the titles of the options of the attribute `interaction_type`: as what a record counts in interaction attributes. */
export const INTERACTION_TYPE_OPTIONS: Readonly<Record<string, InteractionType>> = {
  Meeting: 'meeting',
  'In-person meeting': 'in-person-meeting',
  'Chat thread': 'chat-thread',
}

/** The ids are the same in every workspace. */
const SCHEMAS: Readonly<Record<ActivitySchemaSlug, ActivitySchema>> = {
  activities: {
    schema_id: '5d1f4a10-6c0e-4b57-9f35-0a1c7e2b8d01',
    attributes: [
      { title: 'Timestamp', api_slug: 'timestamp', type: 'timestamp', is_required: true, default_value: NOW },
      { title: 'People', api_slug: 'people', type: 'record-reference', is_multiselect: true, refers_to: 'people' },
      {
        title: 'Companies',
        api_slug: 'companies',
        type: 'record-reference',
        is_multiselect: true,
        refers_to: 'companies',
      },
      { title: 'Note', api_slug: 'note', type: 'text' },
    ],
  },
  interactions: {
    schema_id: '5d1f4a10-6c0e-4b57-9f35-0a1c7e2b8d02',
    extends: 'activities',
    interactionType: 'meeting',
    attributes: [
      {
        title: 'Owner',
        api_slug: 'owner',
        type: 'actor-reference',
        default_value: { type: 'dynamic', template: 'current-user' },
      },
    ],
    notInherited: [
      {
        title: 'Interaction type',
        api_slug: 'interaction_type',
        type: 'select',
        option_titles: Object.keys(INTERACTION_TYPE_OPTIONS),
      },
    ],
  },
  calls: {
    schema_id: '5d1f4a10-6c0e-4b57-9f35-0a1c7e2b8d03',
    extends: 'interactions',
    interactionType: 'call',
    attributes: [
      direction,
      {
        title: 'Outcome',
        api_slug: 'outcome',
        type: 'select',
        option_titles: ['Connected', 'No answer', 'Busy', 'Left voicemail', 'Wrong number'],
      },
      { title: 'Duration in seconds', api_slug: 'duration_seconds', type: 'number' },
    ],
  },
  emails: {
    schema_id: '5d1f4a10-6c0e-4b57-9f35-0a1c7e2b8d04',
    extends: 'interactions',
    interactionType: 'email',
    attributes: [direction, { title: 'Subject', api_slug: 'subject', type: 'text' }],
  },
}

/** The attributes of an activity with the schema, those that the schema inherits first. */
export const attributesOfSchema = (slug: ActivitySchemaSlug): readonly StandardAttribute[] => [
  ...inheritedFrom(slug),
  ...(SCHEMAS[slug].notInherited ?? []),
]

function inheritedFrom(slug: ActivitySchemaSlug): readonly StandardAttribute[] {
  const { extends: parent, attributes } = SCHEMAS[slug]
  return parent === undefined ? attributes : [...inheritedFrom(parent), ...attributes]
}

export const schemaIdOf = (slug: ActivitySchemaSlug): string => SCHEMAS[slug].schema_id

export const interactionTypeOf = (slug: ActivitySchemaSlug): InteractionType | undefined =>
  SCHEMAS[slug].interactionType

interface SystemActivity {
  readonly api_slug: string
  readonly singular_noun: string
  readonly plural_noun: string
  readonly schema_slug: ActivitySchemaSlug
  /** The other sides of its references, by the slug of the reference. */
  readonly mirrored_by: Readonly<Record<string, { readonly title: string; readonly api_slug: string }>>
}

const CALLS = { title: 'Phone calls', api_slug: 'phone_calls' }

/** Every workspace has these. */
export const SYSTEM_ACTIVITIES: readonly SystemActivity[] = [
  {
    api_slug: 'phone_calls',
    singular_noun: 'Phone call',
    plural_noun: 'Phone calls',
    schema_slug: 'calls',
    mirrored_by: { people: CALLS, companies: CALLS },
  },
]

/** The schemas of attributes. See docs/reference/objects-and-attributes.md (Attributes). */

import { type Static, type TSchema, Type } from 'typebox'
import { CurrencyConfig } from '#engine/attribute-types/currency'
import { NumberConfig } from '#engine/attribute-types/number'
import { ReferenceConfig } from '#engine/attribute-types/record-reference'
import { SLUG_PATTERN } from '#engine/data-model/names'
import { MAX_FORMULA, ROLLUP_FUNCTIONS, TYPE_NAMES } from '#vocabulary/data-model'
import { optionalLimitOffset } from '#api/http/request/pagination'
import { SortOrder, StatusInput } from './options/schemas'

const Uuid = Type.String({ format: 'uuid' })
const Slug = Type.String({
  pattern: SLUG_PATTERN,
  description: 'Unique within the object or list, also among archived attributes.',
})
const Title = Type.String({ maxLength: 255 })
const Description = Type.String({ maxLength: 10_000 })
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const TypeName = Type.Enum([...TYPE_NAMES])

export const DefaultValueInput = Type.Union([
  Type.Object({
    type: Type.Literal('dynamic'),
    template: Type.String({ description: '`current-user`, or an ISO 8601 duration from now.' }),
  }),
  Type.Object({
    type: Type.Literal('static'),
    template: Type.Array(Type.Unknown(), { description: 'Values of the type, in any form it is written in.' }),
  }),
  Type.Null(),
])
export type DefaultValueInput = Static<typeof DefaultValueInput>

const DefaultEnabled = Type.Boolean({
  description: 'Whether new records and entries get the default value; always true on a required attribute.',
})

/** A member of the configuration. The type of the attribute decides whether it is checked or ignored. */
const ofType = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Unknown()]))

const CONFIG = {
  currency: ofType(CurrencyConfig),
  record_reference: ofType(ReferenceConfig),
  number: ofType(NumberConfig),
}

/** The options or statuses of a new attribute, in their order. */
export const NewOptions = Type.Array(Type.Union([StatusInput, StatusInput.properties.title]), { maxItems: 1000 })
export type NewOptions = Static<typeof NewOptions>

export const RelationshipInput = Type.Object({
  object: Type.String({ description: 'Slug or id of the object on the other side.' }),
  title: Title,
  api_slug: Slug,
  is_multiselect: Type.Boolean(),
})
export type RelationshipInput = Static<typeof RelationshipInput>

/** Of a name in a definition: a slug, or two with a dot between them. */
const MAX_NAME = 200

/** What makes an attribute a computed one. A body has one of the members. */
const DEFINITION = {
  formula: Type.Optional(
    Type.String({
      maxLength: MAX_FORMULA,
      description: 'An expression in the language of `/v2/sql` over the attributes of the same record or entry.',
    }),
  ),
  lookup: Type.Optional(
    Type.Array(Type.String({ maxLength: MAX_NAME }), {
      minItems: 2,
      maxItems: 2,
      description: 'An attribute with one reference, and an attribute of the record that it refers to.',
    }),
  ),
  rollup: Type.Optional(
    Type.Object({
      through: Type.String({
        maxLength: MAX_NAME,
        description: 'The attribute by which records refer to this one, such as `deals.associated_company`, or a list.',
      }),
      function: Type.Enum([...ROLLUP_FUNCTIONS]),
      of: Type.Optional(
        Type.String({
          maxLength: MAX_NAME,
          description: 'The attribute of these records or entries, or a field of it; none for `count`.',
        }),
      ),
      filter: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
}
export const ComputedInput = Type.Object({
  ...DEFINITION,
  tracked: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether changed values have history and events. It cannot change, and is false for a formula that reads the clock.',
    }),
  ),
})
export type ComputedInput = Static<typeof ComputedInput>

export const AttributeInput = Type.Object({
  title: Title,
  description: nullable(Description),
  api_slug: Slug,
  type: TypeName,
  is_required: Type.Boolean(),
  is_unique: Type.Boolean(),
  is_multiselect: Type.Boolean(),
  default_value: Type.Optional(DefaultValueInput),
  is_default_value_enabled: Type.Optional(DefaultEnabled),
  relationship: Type.Optional(nullable(RelationshipInput)),
  computed: Type.Optional(nullable(ComputedInput)),
  config: Type.Object({
    ...CONFIG,
    options: Type.Optional(
      Type.Union([NewOptions, Type.Unknown()], {
        description:
          'Of a select or status attribute: its first options or statuses, each a title or an object as it is created later.',
      }),
    ),
  }),
})
export type AttributeInput = Static<typeof AttributeInput>

export const AttributeChange = Type.Partial(
  Type.Object({
    title: Title,
    description: nullable(Description),
    api_slug: Slug,
    is_required: Type.Boolean(),
    is_unique: Type.Boolean(),
    default_value: DefaultValueInput,
    is_default_value_enabled: DefaultEnabled,
    config: Type.Object(CONFIG),
    computed: ComputedInput,
    is_archived: Type.Boolean(),
    sort_order: SortOrder,
  }),
)
export type AttributeChange = Static<typeof AttributeChange>

export const PreviewBody = Type.Object({
  data: Type.Object({
    ...DEFINITION,
    type: Type.Optional(
      Type.Union([TypeName], { description: 'The type of the values; by default the first one that fits.' }),
    ),
  }),
})

export const ComputedPreview = Type.Object({
  types: Type.Array(TypeName, { description: 'The types that an attribute with the definition may have.' }),
  is_multiselect: Type.Boolean({ description: 'Whether the attribute has several values.' }),
  is_stored: Type.Boolean({ description: 'False for a formula that reads the clock.' }),
  sample: Type.Array(
    Type.Object({
      id: Uuid,
      label: nullable(Type.String()),
      value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
    }),
    { description: 'The ten newest records or entries, with the value that each would have.' },
  ),
})
export type ComputedPreview = Static<typeof ComputedPreview>

export const PreviewResponse = Type.Object({ data: ComputedPreview })

export const CreateAttributeBody = Type.Object({ data: AttributeInput })
export const UpdateAttributeBody = Type.Object({ data: AttributeChange })

const AttributeId = Type.Object({ workspace_id: Uuid, object_id: Uuid, attribute_id: Uuid })

export const AttributeOutput = Type.Object({
  id: AttributeId,
  title: Type.String(),
  description: nullable(Type.String()),
  api_slug: Type.String(),
  type: TypeName,
  is_system_attribute: Type.Boolean(),
  is_writable: Type.Boolean(),
  is_required: Type.Boolean(),
  is_unique: Type.Boolean(),
  is_multiselect: Type.Boolean(),
  is_default_value_enabled: Type.Boolean(),
  is_archived: Type.Boolean(),
  default_value: DefaultValueInput,
  relationship: nullable(
    Type.Object({
      id: AttributeId,
      object_slug: Type.String(),
      title: Type.String(),
      api_slug: Type.String(),
      is_multiselect: Type.Boolean(),
    }),
  ),
  created_at: Type.String({ format: 'date-time' }),
  config: Type.Object({
    currency: Type.Object({ default_currency_code: nullable(Type.String()), display_type: nullable(Type.String()) }),
    record_reference: Type.Object({ allowed_object_ids: nullable(Type.Array(Uuid)) }),
    /** Only of attributes of type number for which it was set. */
    number: Type.Optional(NumberConfig),
  }),
  /** Only of computed attributes. */
  computed: Type.Optional(
    Type.Object({
      ...DEFINITION,
      tracked: Type.Boolean({ description: 'Whether changed values have history and events.' }),
      is_stored: Type.Boolean({
        description: 'False for a formula that reads the clock: its values are computed when they are read.',
      }),
      is_complete: Type.Boolean({ description: 'False while rows are computed after a change of the definition.' }),
      computed_at: Type.Optional(
        Type.String({
          format: 'date-time',
          description:
            'Of a look-up or rollup that is read alone: the values follow from all writes that were answered before this time.',
        }),
      ),
      progress: Type.Optional(
        Type.Object(
          {
            computed: Type.Integer(),
            total: nullable(Type.Integer({ description: 'Null before the records or entries are counted.' })),
          },
          {
            description:
              'Of an attribute that is read alone and not complete: how many records or entries are computed.',
          },
        ),
      ),
    }),
  ),
})
export type AttributeOutput = Static<typeof AttributeOutput>

export const AttributeResponse = Type.Object({ data: AttributeOutput })
export const AttributeListResponse = Type.Object({ data: Type.Array(AttributeOutput) })

/** Without a limit, the response has all attributes. See docs/reference/errors-and-limits.md (Pagination). */
export const ListQuery = Type.Object({ ...optionalLimitOffset(), show_archived: Type.Optional(Type.Boolean()) })
export type ListQuery = Static<typeof ListQuery>

/**
 * The schemas of values in bodies and answers. The attribute types check the values themselves.
 * See docs/reference/values.md (The form of a value, Writing values).
 */

import { Type } from 'typebox'

/** The OpenAPI document of a workspace replaces schemas with this member by those of the values of each object and list. */
export const VALUES_MARKER = 'x-values'

/** Values of a new entity, of a change, and of a response. */
export type ValuesKind = 'create' | 'input' | 'output'

const valuesInput = (kind: ValuesKind) =>
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Values by the slug or id of their attribute: values, arrays of values, or short forms.',
    [VALUES_MARKER]: kind,
  })

export const ValuesInput = valuesInput('input')
export const NewValues = valuesInput('create')

/** Types of attributes add members. */
const OPEN = { additionalProperties: true }

/** The server parses and looks up each value of a request. */
const MAX_VALUES = 5000

export const ValueHistoryBody = Type.Object({
  data: Type.Object({
    values: Type.Array(
      Type.Object(
        {
          active_from: Type.String(),
          active_until: Type.Union([Type.String(), Type.Null()]),
          value: Type.Optional(
            Type.Unknown({
              description: 'The value in any form; or the members of its full form stand beside the times.',
            }),
          ),
        },
        OPEN,
      ),
      { minItems: 1, maxItems: MAX_VALUES },
    ),
    replace_history: Type.Literal(true),
  }),
})

const Actor = Type.Object({
  type: Type.Union([Type.String(), Type.Null()]),
  id: Type.Union([Type.String(), Type.Null()]),
})

/** The members that the values of all types have in answers. Each type adds its own. */
export const Value = Type.Object({
  active_from: Type.String({ format: 'date-time' }),
  active_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  created_by_actor: Actor,
  attribute_type: Type.String(),
})

const AnyValue = Type.Object(Value.properties, OPEN)

export const ValuesOutput = Type.Record(Type.String(), Type.Array(AnyValue), {
  [VALUES_MARKER]: 'output' satisfies ValuesKind,
})
export const ValuesAnswer = Type.Object({ data: Type.Array(AnyValue) })

/** Arguments that several tools have. */

import { Type } from 'typebox'

/** The endpoint adds the slugs of the workspace to arguments with these names. */
export const ObjectSlug = Type.String({ description: 'Slug of an object.' })
export const ListSlug = Type.String({ description: 'Slug of a list.' })

export const RecordId = Type.String({ format: 'uuid', description: 'Id of a record.' })
export const EntryId = Type.String({ format: 'uuid', description: 'Id of an entry.' })

const DEFAULT_LIMIT = 20

export const page = (maximum: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum, default: DEFAULT_LIMIT })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
})

/** The limit and the offset of a page with their defaults. */
export const pageOfArguments = ({ limit = DEFAULT_LIMIT, offset = 0 }: { limit?: number; offset?: number }) => ({
  limit,
  offset,
})

/** The offset of the next page, if this page is full. */
export const nextPage = (found: readonly unknown[], { limit, offset }: { limit: number; offset: number }) =>
  found.length < limit ? {} : { next_offset: offset + limit }

export const Values = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'Values by attribute slug, in short form: text, number, option title, email address, record id; arrays for several values; null clears. ' +
    'Examples: {"name": "Lovelace, Ada", "email_addresses": ["ada@example.com"], "stage": "Won"}.',
})

export const FilterArgument = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'Conditions by attribute slug: {"stage": "Won"}, {"amount": {"$gte": 100}}, {"name": {"last_name": {"$starts_with": "L"}}}. ' +
    'Operators: $eq $in $not_empty $contains $starts_with $ends_with $lt $lte $gt $gte; get_data_model says which ones a type has. ' +
    'Combine: {"$and": [..]}, {"$or": [..]}, {"$not": {..}}. ' +
    'Through a reference: {"path": [["people", "company"], ["companies", "name"]], "constraints": {"$contains": "x"}}.',
})

export const Sorts = Type.Array(
  Type.Object({
    attribute: Type.String(),
    direction: Type.Enum(['asc', 'desc']),
    field: Type.Optional(Type.String()),
  }),
  { maxItems: 5 },
)

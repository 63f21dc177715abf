/** Checks and inserts the records of an object or the entries of a list. */

import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import type { DumpedValue } from '#engine/storage/dump/dumped-entity'
import { dumpedEntityInserter, type PreparedEntity } from '#engine/storage/dump/insert-dumped-entities'
import { isDumped } from '#engine/storage/dump/read-dumped-entities'
import type { LineInserter } from './insert-batches'

const Timestamp = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z$' })
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])
const STRICT = { additionalProperties: false }

/** `active_from` is parsed later, where it differs from the creation of the record. */
const Value = Type.Object(
  {
    active_from: Type.String(),
    active_until: Type.Null(),
    actor: Type.Integer(),
    mirrored: Type.Optional(Type.Literal(true)),
    rank: Type.Optional(Type.Integer()),
    value: Type.Record(Type.String(), Scalar),
  },
  STRICT,
)
const RECORD = {
  id: Type.String(),
  created_at: Timestamp,
  created_by: Type.Integer(),
  updated_at: Timestamp,
  updated_by: Type.Integer(),
  version: Type.Integer({ minimum: 1 }),
  refreshes: Type.Integer({ minimum: 0 }),
  values: Type.Record(Type.String(), Type.Array(Value, { minItems: 1 })),
}
const CHECKS = {
  object: Compile(Type.Object(RECORD, STRICT)),
  list: Compile(Type.Object({ ...RECORD, parent_object: Type.Integer(), parent_record_id: Type.String() }, STRICT)),
}

export function entityInserter(model: DataModel, entityType: EntityType): LineInserter<PreparedEntity> {
  const shape = CHECKS[entityType.kind]
  const attributes = new Map(entityType.attributes.filter(isDumped).map((each) => [each.api_slug, each]))
  const { prepare, insert } = dumpedEntityInserter(model, entityType)
  return {
    insert,
    parse(text) {
      const entity: unknown = JSON.parse(text)
      if (!shape.Check(entity)) {
        const [first] = shape.Errors(entity)
        throw new Error(`${first?.instancePath.slice(0, 200) ?? ''} ${first?.message ?? 'is invalid'}.`)
      }
      for (const [slug, values] of Object.entries(entity.values)) checkValues(attributes.get(slug), slug, values)
      return prepare(entity)
    },
  }
}

function checkValues(attribute: Attribute | undefined, slug: string, values: readonly DumpedValue[]): void {
  if (attribute === undefined)
    throw new Error(`there is no attribute ${JSON.stringify(slug.slice(0, 100))} with values.`)
  if (!attribute.is_multiselect && values.length > 1) throw new Error(`${slug} has one value at most.`)
  const members = columnsOf(attribute).map(({ member }) => member)
  for (const { value } of values) {
    const given = Object.keys(value)
    if (given.length !== members.length || given.some((member) => !members.includes(member)))
      throw new Error(`a value of ${slug} has the members ${members.join(', ')}.`)
  }
}

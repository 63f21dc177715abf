/** The types of the columns of SQL queries. See docs/decisions/0100-sql-by-edits.md. */

import type { SqlForm, SqlScalar } from '#engine/attribute-types/definition/sql-form'
import { attributeType } from '#engine/attribute-types/registry'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { Attribute } from '#engine/data-model/model'

export interface ColumnType {
  /** A scalar, or a composite type of `relata_sql`. */
  readonly name: string
  readonly isArray: boolean
  /** The fields of a composite type. Null for a scalar. */
  readonly fields: readonly string[] | null
  /** The name of the column with the nanoseconds below the microseconds of a timestamp. */
  readonly nanoseconds?: string
}

/** The beginning of the names of columns with nanoseconds, which no column has that callers name. */
export const NANOSECONDS = 'relata_ns:'

const REFERENCE_FIELDS = ['entity_definition_id', 'entity_instance_id']
const ACTOR_FIELDS = ['actor_type', 'actor_id']

export function columnTypeOf(attribute: Attribute): ColumnType {
  const isArray = attribute.is_multiselect
  const { sql } = attributeType(attribute.type)
  if (sql.form === 'scalar') {
    const nanoseconds =
      nanosecondsColumn(attribute) === null ? {} : { nanoseconds: `${NANOSECONDS}${attribute.number}` }
    return { name: scalarOf(attribute, sql), isArray, fields: null, ...nanoseconds }
  }
  if (sql.form === 'option') return { name: 'text', isArray, fields: null }
  if (sql.form === 'actor') return { name: 'actor_reference', isArray, fields: ACTOR_FIELDS }
  if (sql.form === 'reference') return { name: 'record_reference', isArray, fields: REFERENCE_FIELDS }
  return { name: sql.type, isArray, fields: sql.fields.map(({ name }) => name) }
}

/** The ids of the entities themselves are UUIDs, so that comparisons use the primary key. */
export function scalarOf(attribute: Attribute, { type }: Extract<SqlForm, { form: 'scalar' }>): SqlScalar {
  return attribute.stored_in === 'entity' && columnsOf(attribute)[0]?.name === 'id' ? 'uuid' : type
}

/** The stored column with the nanoseconds of a timestamp. Null for any other attribute, and for the times of the entity itself. */
export function nanosecondsColumn(attribute: Attribute): string | null {
  const { sql } = attributeType(attribute.type)
  if (sql.form !== 'scalar' || sql.nanoseconds === undefined) return null
  return columnsOf(attribute).find(({ member }) => member === sql.nanoseconds)?.name ?? null
}

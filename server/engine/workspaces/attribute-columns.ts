/** The columns of an attribute in its entity type's table, and the indexes that are created with them. Decision 0030. */

import { columnsOf, type ValueColumn } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute } from '#engine/data-model/model'
import { entityTableName } from '#engine/data-model/names'
import type { AttributeColumns, Index } from '#engine/data-model/tables'
import type { EntityType } from '#engine/data-model/model'

/** The names that PostgreSQL prints for the short SQL types of the attribute types. */
const FULL_NAMES: Record<string, string> = { int: 'integer', timestamptz: 'timestamp with time zone' }

/** Returns no columns for an attribute without columns of its own. */
export function attributeColumns(
  entityType: Pick<EntityType, 'kind' | 'number'>,
  attribute: Attribute,
): AttributeColumns {
  if (attribute.stored_in !== 'columns') return { columns: [], indexes: [] }
  const columns = columnsOf(attribute)
  const { indexed = [] } = attributeType(attribute.type)
  return {
    columns: columns.map((column) => ({ name: nameOf(column), type: fullType(column.sqlType) })),
    indexes: columns.filter(({ member }) => indexed.includes(member)).map((column) => indexOn(entityType, column)),
  }
}

function indexOn(entityType: Pick<EntityType, 'kind' | 'number'>, column: ValueColumn): Index {
  const name = nameOf(column)
  const method = column.sqlType.endsWith('[]') ? 'gin' : 'btree'
  return {
    name: `${entityTableName(entityType)}_${name}`,
    definition: `USING ${method} (${name}) WHERE (${name} IS NOT NULL)`,
  }
}

function fullType(sqlType: string): string {
  const [element = '', array = ''] = sqlType.split(/(?=\[)/)
  return (FULL_NAMES[element] ?? element) + array
}

function nameOf({ name, member }: ValueColumn): string {
  if (name === null) throw new Error(`Member ${member} of an attribute with columns of its own has none.`)
  return name
}

/** The tables that a query may name, from the data model and what the caller may read. */

import type { DataModel, EntityType } from '#engine/data-model/model'
import { visibleAttributes } from '#engine/data-model/find'
import { getPartner } from '#engine/storage/references'
import { columnSql } from './column-sql'
import { columnTypeOf, NANOSECONDS, nanosecondsColumn } from './column-type'
import { columnsTable, tablesTable } from './information-schema'
import type { SqlTable } from './sql-table'

export interface SqlScope {
  readonly model: DataModel
  /** The objects and lists that the caller may read. */
  readonly entityTypes: readonly EntityType[]
}

export function tablesOf({ model, entityTypes }: SqlScope): SqlTable[] {
  const tables = entityTypes.map((entityType) => entityTable(model, entityType))
  return [...tables, tablesTable(tables), columnsTable(tables)]
}

/** A data model has entity types of its own, so the cached table belongs to one data model. */
const cache = new WeakMap<EntityType, SqlTable>()

function entityTable(model: DataModel, entityType: EntityType): SqlTable {
  const table = cache.get(entityType) ?? makeTable(model, entityType)
  cache.set(entityType, table)
  return table
}

function makeTable(model: DataModel, entityType: EntityType): SqlTable {
  const { kind, number, api_slug, table } = entityType
  const attributes = visibleAttributes(model, entityType).filter(
    (attribute) => attribute.stored_in !== 'partner' || getPartner(model, attribute).entityType.kind === 'object',
  )
  return {
    schema: `${kind}s`,
    name: api_slug,
    // The number, because names in PostgreSQL are shorter than a slug with its schema.
    cte: `${kind}s.${number}`,
    entityType,
    columns: new Map(attributes.map((attribute) => [attribute.api_slug, columnTypeOf(attribute)])),
    body({ all, rows, names, whole, conditions, nanoseconds }, parameters) {
      const body = { model, parameters, joins: [] as string[] }
      const used = attributes.filter(({ api_slug: slug }) => all || names.has(slug))
      const items = used.map((attribute) => {
        const { api_slug: slug } = attribute
        const isNamed = names.has(slug)
        // Beside `*`, a column of which a condition reads a field stays one of which the planner takes the fields. The response
        // shows it as null if all of its fields are null.
        const isWhole = !isNamed || rows || whole.has(slug) || (all && !conditions.has(slug))
        const sql = columnSql(body, attribute, { isNamed, isWhole })
        return `${sql} as "${slug}"`
      })
      // Behind all others, because `*` has them too.
      for (const attribute of nanoseconds ? used : []) {
        const column = nanosecondsColumn(attribute)
        if (column !== null) items.push(`h.${column} as "${NANOSECONDS}${attribute.number}"`)
      }
      return `select ${items.join(', ')} from ${[`${table} h`, ...body.joins].join(' ')}`
    },
  }
}

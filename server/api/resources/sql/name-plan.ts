/** Replaces the stored names in a plan by slugs. See docs/reference/sql.md (Plans). */

import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { EntityType } from '#engine/data-model/model'

/** The form of the stored names of tables and of the columns of attributes. */
const STORED_NAME = /\b[ao]_\d+(?:_[a-z_]+)?\b/g

/** `json` is the plan. Only these objects and lists get their names. */
export function namePlan(entityTypes: readonly EntityType[], json: string): string {
  const names = new Map(entityTypes.flatMap(namesOf))
  return json.replace(STORED_NAME, (stored) => names.get(stored) ?? stored)
}

function namesOf({ table, api_slug, attributes }: EntityType): [stored: string, name: string][] {
  const stored = table.split('.').at(-1)?.replaceAll('"', '') ?? table
  return [[stored, inJson(api_slug)], ...attributes.flatMap(columnNames)]
}

function columnNames(attribute: EntityType['attributes'][number]): [stored: string, name: string][] {
  const columns = columnsOf(attribute)
  return columns.flatMap(({ name, member }) => {
    const slug = inJson(attribute.api_slug)
    return name === null ? [] : [[name, columns.length === 1 || member === 'value' ? slug : `${slug}.${member}`]]
  })
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

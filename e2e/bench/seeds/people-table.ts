/** The table of people, as the statements of seeds name it. */

import type { Sql } from '#db/connect'
import { tableOf } from '../floor/tables'

export interface PeopleTable {
  readonly workspaceId: string
  /** The id of the object. */
  readonly objectId: string
  /** The name with its schema: `w_1.o_2`. */
  readonly table: string
  /** The name of a column: `a_3_email_address`. */
  column(slug: string, member: string): string
}

export async function readPeopleTable(sql: Sql): Promise<PeopleTable> {
  const [object] = await sql<{ id: string; workspace: string; schema: string }[]>`
    select o.id, w.id as workspace, format('w_%s', w.number) as schema
    from relata.entity_types o join relata.workspaces w on w.id = o.workspace_id
    where o.kind = 'object' and o.api_slug = 'people'`
  if (!object) throw new Error('There are no people.')
  const { table, attributes } = await tableOf(sql, object.workspace, 'people')
  return {
    workspaceId: object.workspace,
    objectId: object.id,
    table: `${object.schema}.${table}`,
    column(slug, member) {
      const number = attributes.find(({ api_slug }) => api_slug === slug)?.number
      if (number === undefined) throw new Error(`People have no attribute "${slug}".`)
      return `a_${number}_${member}`
    },
  }
}

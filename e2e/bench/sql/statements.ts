/** Queries as callers write them, and the same statements by hand over the columns of the tables. */

import type { Sql } from '#db/connect'
import { readPeopleTable } from '../seeds/people-table'
import { tableOf } from '../floor/tables'

const MOST_ROWS = 10_000

export interface Comparison {
  readonly name: string
  readonly sql: string
  readonly byHand: string
  /** The most that the median time may be, as a multiple of the time by hand. */
  readonly most: number
}

/** Targets: aggregates over all people 1.3 times the time by hand; rows at least 0.7 of the rate. */
const MOST_TIME = 1.3
const LEAST_RATE = 0.7

export async function comparisonsOf(sql: Sql): Promise<readonly Comparison[]> {
  const { table, workspaceId, column } = await readPeopleTable(sql)
  const companies = await tableOf(sql, workspaceId, 'companies')
  const companiesTable = `${table.split('.')[0]}.${companies.table}`
  const companyName = `a_${companies.attributes.find(({ api_slug }) => api_slug === 'name')?.number}_value`
  const [status, value, company] = [
    column('lead_status', 'option'),
    column('lead_value', 'currency_value'),
    column('company', 'target_record_id'),
  ]
  const people = [
    ['job_title', column('job_title', 'value')],
    ['linkedin', column('linkedin', 'value')],
    ['lead_value', value],
  ]
  return [
    {
      name: 'people by status',
      sql: 'select lead_status, avg(lead_value) as average from people group by 1 order by 1',
      byHand: `select ${status} as lead_status, avg(${value}) as average from ${table} group by 1 order by 1`,
      most: MOST_TIME,
    },
    {
      name: 'people joined to companies',
      sql: `select c.name, count(*) as people, avg(p.lead_value) as average from people p
        join companies c on p.company.entity_instance_id = c.record_id group by 1 order by 3 desc limit 10`,
      byHand: `select c.${companyName} as name, count(*) as people, avg(p.${value}) as average from ${table} p
        join ${companiesTable} c on p.${company} = c.id group by 1 order by 3 desc limit 10`,
      most: MOST_TIME,
    },
    {
      name: '10,000 rows as JSON',
      sql: `select record_id, created_at, ${people.map(([slug]) => slug).join(', ')} from people limit ${MOST_ROWS}`,
      byHand: `select id as record_id, created_at, ${people.map(([slug, of]) => `${of} as ${slug}`).join(', ')} from ${table} limit ${MOST_ROWS}`,
      most: 1 / LEAST_RATE,
    },
  ]
}

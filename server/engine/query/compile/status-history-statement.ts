/** Compiles the statement of the history of a status attribute: one row for each status that entities had. */

import { columnName } from '#engine/attribute-types/definition/columns'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { integerSql } from '#engine/indexes/expressions'
import type { Condition } from '#engine/query/resolve/condition'
import { activeFromSql, provenanceSql } from '#engine/storage/provenance'
import { compileCondition } from './compile-condition'
import type { QueryStatement } from './page-statement'
import { createStatementBuilder, type StatementBuilder } from './statement-builder'

export interface StatusHistory {
  readonly attribute: Attribute
  /** The entities. */
  readonly condition: Condition
  /** A condition on `created_at`, which the beginning of each stay must meet. */
  readonly entered: Condition
  /** The instant, in the form of PostgreSQL, before which a stay in a status that still lasts is over its target time, by the status's number. */
  readonly thresholds: ReadonlyMap<number, string>
}

const STAY = 's'
const SECONDS = 'extract(epoch from ended_at - created_at)'

/**
 * A stay is the time from when an entity gets a status until it gets another one. The rows have the number of the status, the
 * entities with a stay in it, the stays that last and those that ended, the average and median seconds of the ended ones, and how many
 * of the lasting ones are over the target time.
 */
export function compileStatusHistory(
  model: DataModel,
  entityType: EntityType,
  { attribute, condition, entered, thresholds }: StatusHistory,
): QueryStatement {
  const builder = createStatementBuilder(model)
  const status = columnName(attribute, 'status')
  const since = activeFromSql(provenanceSql('h.provenance', attribute.number, '0'), 'h.created_at')
  const text = [
    `select status, count(distinct entity_id), count(*) - count(ended_at), count(ended_at), avg(${SECONDS})::text,`,
    `(percentile_cont(0.5) within group (order by ${SECONDS}))::text, count(*) filter (where ${overTarget(builder, thresholds)})`,
    `from (`,
    `select h.id as entity_id, h.${status} as status, ${since} as created_at, null::timestamptz as ended_at`,
    `from ${entityType.table} h where h.${status} is not null and ${compileCondition(builder, condition, 'h')}`,
    `union all`,
    `select e.entity_id, (e.value->>'status')::int, e.active_from, e.active_until`,
    `from ${model.schema}.history e join ${entityType.table} h on h.id = e.entity_id`,
    `where e.attribute = ${integerSql(attribute.number)} and ${compileCondition(builder, condition, 'h')}`,
    `) ${STAY}`,
    `where ${compileCondition(builder, entered, STAY)}`,
    `group by status`,
  ].join('\n')
  return { text, parameters: builder.parameters }
}

function overTarget(builder: StatementBuilder, thresholds: StatusHistory['thresholds']): string {
  if (thresholds.size === 0) return 'false'
  const cases = [...thresholds].map(
    ([number, instant]) => `when ${integerSql(number)} then ${builder.bind(instant, 'timestamptz')}`,
  )
  return `ended_at is null and created_at < case status ${cases.join(' ')} end`
}

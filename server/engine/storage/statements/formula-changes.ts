/**
 * The parts of triggers that record changes of stored formulas: since when a value is active, the history, and events. The time of a change is
 * that of the write; of a refresh, which leaves `updated_at`, it is that of the transaction. See docs/decisions/formulas.md.
 */

import { columnName } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import { type Attribute, type DataModel, type EntityType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { activeFromSql, microsSql, provenanceSql } from '#engine/storage/provenance'

/** The condition on `old` and `new`. Rows that are computed after a change of a formula keep their version, and have no change. */
export const isTrackedChange = (attributes: readonly Attribute[]): string =>
  `old.version <> new.version and (${attributes.map(isOther).join(' or ')})`

function isOther(attribute: Attribute): string {
  const column = valueColumn(attribute)
  return `old.${column} is distinct from new.${column}`
}

/** Since when the old value was active, and since when the new one is. */
function timesOf({ number }: Attribute): { readonly since: string; readonly at: string } {
  const since = activeFromSql(provenanceSql('old.provenance', number, '0'), 'old.created_at')
  const written = 'case when new.updated_at = old.updated_at then now() else new.updated_at end'
  return { since, at: `greatest(${written}, ${since} + interval '1 microsecond')` }
}

/** Stores since when the new value is active. */
export function provenanceOfChange(attribute: Attribute): string {
  const key = `${attribute.number}`
  const entry = `jsonb_build_array(jsonb_build_array(${microsSql(timesOf(attribute).at)}, ${SYSTEM_ACTOR}))`
  const before = `coalesce(new.provenance, '{}')`
  return `if tg_op = 'UPDATE' and ${isTrackedChange([attribute])} then
new.provenance := case when new.${valueColumn(attribute)} is null then nullif(${before} - '${key}', '{}') else jsonb_set(${before}, '{${key}}', ${entry}) end;
end if;`
}

/** The source of the function of the trigger that inserts ended values into the history, and events into the outbox. */
export function changesBody(model: DataModel, entityType: EntityType, attributes: readonly Attribute[]): string {
  const { schema } = model
  const steps = attributes.map((attribute) => {
    const { since, at } = timesOf(attribute)
    return `if ${isOther(attribute)} then
if old.${valueColumn(attribute)} is not null then
insert into ${schema}.history (entity_id, attribute, active_from, active_until, actor, mirrored, value, ended_by)
values (new.id, ${attribute.number}, ${since}, ${at}, ${SYSTEM_ACTOR}, false, ${storedValue(attribute)}, ${SYSTEM_ACTOR});
end if;
events := events || ${eventOf(entityType, attribute)};
at := ${at};
end if;`
  })
  return `declare
events jsonb := '[]';
at timestamptz;
begin
${steps.join('\n')}
insert into ${schema}.outbox (occurred_at, actor, events) values (at, ${SYSTEM_ACTOR}, events::json);
return null;
end`
}

/** The old value as the history has it: numbers and booleans as they are, and texts of all others. */
function storedValue(attribute: Attribute): string {
  const { columns, member: computed } = formulaType(attribute)
  const column = `old.${valueColumn(attribute)}`
  const isText = !['double precision', 'boolean'].includes(columns[computed] ?? '')
  const members = Object.keys(columns).map((member) =>
    member === computed ? `'${member}', ${column}${isText ? '::text' : ''}` : `'${member}', null`,
  )
  return `jsonb_build_object(${members.join(', ')})`
}

/** An event without the values, which receivers read. Ids in the data model are UUIDs. */
function eventOf(entityType: EntityType, attribute: Attribute): string {
  const event = (type: string, id: string, more = '') =>
    `jsonb_build_object('event_type', '${type}', 'id', jsonb_build_object(${id}, 'attribute_id', '${attribute.id}')${more})`
  if (entityType.kind === 'object')
    return event('record.updated', `'object_id', '${entityType.id}', 'record_id', new.id`)
  if (entityType.kind === 'activity')
    return event('activity-record.updated', `'activity_id', '${entityType.id}', 'record_id', new.id`)
  const [first] = entityType.parentObjects
  const objects = entityType.parentObjects.map(({ number, id }) => ` when ${number} then '${id}'`).join('')
  const parent = first === undefined ? 'null' : `case new.parent_object${objects} else '${first.id}' end`
  return event(
    'list-entry.updated',
    `'list_id', '${entityType.id}', 'entry_id', new.id`,
    `, 'parent_object_id', ${parent}, 'parent_record_id', new.parent_record_id`,
  )
}

const valueColumn = (attribute: Attribute): string => columnName(attribute, formulaType(attribute).member)

/** The member that the formula computes. The others are null. */
function formulaType({ id, type }: Attribute) {
  const { columns, formula } = attributeType(type)
  if (formula === undefined) throw new Error(`Attribute ${id} is of a type without formulas.`)
  return { columns, member: formula.column }
}

/**
 * The changes of values of entities, newest first. A change is what one actor did to one entity at one time: the values that
 * it ended and those that it began. Ended values are in the history, active ones in the entity's row. Values that were
 * created with the entity are no change. See docs/reference/activity.md (Items).
 */

import type { EndedValue } from './entity-change'
import { renderArray, type Sql } from '#db/connect'
import type { Stored } from '#engine/attribute-types/define'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { ValueWithEnd } from './history'
import { shownActor } from './provenance'
import type { StoredEntity } from './read-entities'

/** The values of one attribute in a change. */
export interface ChangedAttribute {
  readonly attribute: Attribute
  readonly ended: readonly ValueWithEnd[]
  readonly begun: readonly ValueWithEnd[]
}

export interface Change {
  readonly entityId: string
  readonly at: Micros
  /** The number of the actor; undefined where earlier versions of the service did not store who ended a value. */
  readonly actor: number | undefined
  readonly attributes: readonly ChangedAttribute[]
}

export interface ChangesRead {
  readonly entities: readonly StoredEntity[]
  /** Attributes of their entity type that are stored in columns. */
  readonly attributes: readonly Attribute[]
  /** The newest time to read. */
  readonly through: Micros
  /** How many times to read. */
  readonly times: number
}

/** All changes of the newest times. Reads as many rows of the history as these changes have, and their times. */
export async function readChanges(sql: Sql, model: DataModel, read: ChangesRead): Promise<Change[]> {
  if (read.entities.length === 0 || read.attributes.length === 0) return []
  const active = read.entities.flatMap((entity) => activeParts(entity, read))
  const stored = await readTimes(sql, model, read)
  const times = [...new Set([...stored, ...active.map(({ at }) => at)])].toSorted((a, b) => b - a).slice(0, read.times)
  const [newest, oldest] = [times[0], times.at(-1)]
  if (newest === undefined || oldest === undefined) return []
  const ended = await readEndedBetween(sql, model, read, { newest, oldest })
  return groupParts([...ended, ...active].filter(({ at }) => at >= oldest && at <= newest))
}

/** A value that a change ended or began. */
interface Part {
  readonly entityId: string
  readonly attribute: Attribute
  readonly at: Micros
  readonly actor: number | undefined
  readonly end: 'ended' | 'begun'
  readonly datedValue: ValueWithEnd
}

function activeParts(entity: StoredEntity, { attributes, through }: ChangesRead): Part[] {
  return attributes.flatMap((attribute) =>
    entity
      .valuesOf(attribute)
      .filter(({ active_from }) => active_from <= through && active_from !== entity.created.at)
      .map((datedValue) => begun(entity.id, attribute, { ...datedValue, active_until: null })),
  )
}

const begun = (entityId: string, attribute: Attribute, datedValue: ValueWithEnd): Part => ({
  entityId,
  attribute,
  at: datedValue.active_from,
  actor: shownActor(datedValue),
  end: 'begun',
  datedValue,
})

/** The entities `i` and the attributes `a` of a read; `created_at` excludes the values that were created with the entity. */
const ENTITIES_AND_ATTRIBUTES = `unnest($1::uuid[], $2::timestamptz[]) as i(id, created_at), unnest($3::int[]) as a(number)`

const entitiesAndAttributesOf = ({ entities, attributes }: ChangesRead): string[] => [
  renderArray(entities.map(({ id }) => id)),
  renderArray(entities.map(({ created }) => timestampFromMicros(created.at))),
  renderArray(attributes.map(({ number }) => number)),
]

/** The newest times at which ended values began or ended. Each attribute is one range of an index. */
async function readTimes(sql: Sql, { schema }: DataModel, read: ChangesRead): Promise<Micros[]> {
  const newest = (column: string, condition = '') => `
    select t.at from ${ENTITIES_AND_ATTRIBUTES}, lateral (
      select distinct ${column} as at from ${schema}.history
      where entity_id = i.id and attribute = a.number and ${column} <= $4 ${condition}
      order by at desc limit $5) t`
  const rows = await sql.unsafe<{ at: string }[]>(
    `select at from (${newest('active_until')} union ${newest('active_from', 'and active_from <> i.created_at')}) times
     order by at desc limit $5`,
    [...entitiesAndAttributesOf(read), timestampFromMicros(read.through), read.times],
    { prepare: true },
  )
  return rows.map(({ at }) => microsFromPostgres(at))
}

interface HistoryRow extends Omit<EndedValue, 'value' | 'ended_by'> {
  readonly value: string
  readonly ended_by: number | null
}

async function readEndedBetween(
  sql: Sql,
  { schema }: DataModel,
  read: ChangesRead,
  { newest, oldest }: { readonly newest: Micros; readonly oldest: Micros },
): Promise<Part[]> {
  const within = (column: string) => `
    select e.* from ${schema}.history e
    where e.entity_id = i.id and e.attribute = a.number and e.${column} between $4 and $5`
  const rows = await sql.unsafe<HistoryRow[]>(
    `select v.* from ${ENTITIES_AND_ATTRIBUTES}, lateral (${within('active_until')} union ${within('active_from')}) v order by v.sequence`,
    [...entitiesAndAttributesOf(read), timestampFromMicros(oldest), timestampFromMicros(newest)],
    { prepare: true },
  )
  const attributes = new Map(read.attributes.map((attribute) => [attribute.number, attribute]))
  const created = new Map(read.entities.map((entity) => [entity.id, entity.created.at]))
  return rows.flatMap((row) => {
    const attribute = attributes.get(row.attribute)
    return attribute === undefined ? [] : partsOf(row, attribute, created.get(row.entity_id))
  })
}

function partsOf(row: HistoryRow, attribute: Attribute, created: Micros | undefined): Part[] {
  const datedValue: ValueWithEnd = {
    stored: JSON.parse(row.value) as Stored, // written by `insertHistory` and updates
    active_from: microsFromPostgres(row.active_from),
    active_until: microsFromPostgres(row.active_until),
    actor: row.actor,
    writtenFromOtherSide: row.mirrored,
  }
  const at = microsFromPostgres(row.active_until)
  const ended: Part = {
    entityId: row.entity_id,
    attribute,
    at,
    actor: row.ended_by ?? undefined,
    end: 'ended',
    datedValue,
  }
  return datedValue.active_from === created ? [ended] : [ended, begun(row.entity_id, attribute, datedValue)]
}

/** Joins the parts of each entity, time and actor. A part without an actor joins those of its entity and time. */
function groupParts(parts: readonly Part[]): Change[] {
  const changes: Change[] = []
  for (const ofWrite of Map.groupBy(parts, ({ entityId, at }) => `${at} ${entityId}`).values()) {
    const fallback = ofWrite.find(({ actor }) => actor !== undefined)?.actor
    for (const [actor, own] of Map.groupBy(ofWrite, (part) => part.actor ?? fallback)) {
      const [first] = own
      if (first) changes.push({ entityId: first.entityId, at: first.at, actor, attributes: attributesOf(own) })
    }
  }
  return changes.toSorted((a, b) => b.at - a.at)
}

function attributesOf(parts: readonly Part[]): ChangedAttribute[] {
  const byAttribute = [...Map.groupBy(parts, ({ attribute }) => attribute)]
  const valuesOf = (own: readonly Part[], end: Part['end']) =>
    own.filter((part) => part.end === end).map(({ datedValue }) => datedValue)
  return byAttribute.map(([attribute, own]) => ({
    attribute,
    ended: valuesOf(own, 'ended'),
    begun: valuesOf(own, 'begun'),
  }))
}

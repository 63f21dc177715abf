/** A source of the activity of a record: one kind of item, newest first. See docs/reference/activity.md. */

import type { ApiContext } from '#context'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import type { Scope } from '#vocabulary/scopes'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { ItemType } from './schemas'
import { renderActor } from '#engine/attribute-types/actor-reference'
import { compileValues } from '#engine/entities/read/render'
import type { ChangedAttribute } from '#engine/storage/changes'

/** The place of an item in the activity. Items of one time are ordered by their source, then by their id. */
export interface ItemKey {
  readonly at: Micros
  /** The rank of the source. */
  readonly rank: number
  readonly id: string
}

export interface Item extends Omit<ItemKey, 'rank'> {
  /** JSON text of the item. */
  readonly text: string
}

/** The part of the activity that a source is read for: what comes after `at` and `id`, newest first. */
export interface ActivityRead {
  readonly context: ApiContext
  readonly object: ObjectType
  readonly recordId: string
  readonly at: Micros
  /** Of items at `at`, only those with a smaller id are read. */
  readonly id: string
  readonly limit: number
}

export interface ActivitySource {
  /** The type of all its items. */
  readonly type: ItemType
  /** Among items with the same time, those of the source with the highest rank come first. */
  readonly rank: number
  /** Scopes in addition to those of the record. A caller who lacks one of them does not see the items. */
  readonly scopes: readonly Scope[]
  /** Returns the first `limit` items, newest first. */
  read(read: ActivityRead): Promise<readonly Item[]>
}

/** Keeps the items that a source was read for, for sources that read more. */
export const itemsOf = (items: readonly Item[], { at, id, limit }: ActivityRead): Item[] =>
  items
    .filter((item) => item.at < at || (item.at === at && item.id < id))
    .toSorted(compareNewestFirst)
    .slice(0, limit)

export const compareNewestFirst = (a: Omit<ItemKey, 'rank'>, b: Omit<ItemKey, 'rank'>): number =>
  b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

/** JSON texts of the items of the activity. */
const UNKNOWN_ACTOR = '{"type":null,"id":null}'

interface ItemHead {
  readonly type: ItemType
  readonly at: Micros
  /** The number of the actor; undefined where it is not stored. */
  readonly actor: number | null | undefined
}

/** `members` are JSON texts. */
export function itemText(
  model: DataModel,
  { type, at, actor }: ItemHead,
  members: Readonly<Record<string, string>> = {},
): string {
  const actorText = actor === undefined || actor === null ? UNKNOWN_ACTOR : renderActor(model)(actor)
  const others = Object.entries(members).map(([name, text]) => `,"${name}":${text}`)
  return `{"type":"${type}","at":"${timestampFromMicros(at)}","actor":${actorText}${others.join('')}}`
}

/** The attributes of a change, with their values as the values API renders them. */
export function changedAttributesText(model: DataModel, attributes: readonly ChangedAttribute[]): string {
  const texts = attributes.map(({ attribute, ended, begun }) => {
    const render = compileValues(attribute, model)
    const head = JSON.stringify({ attribute_id: attribute.id, api_slug: attribute.api_slug }).slice(0, -1)
    return `${head},"previous_values":${render(ended)},"new_values":${render(begun)}}`
  })
  return `[${texts.join(',')}]`
}

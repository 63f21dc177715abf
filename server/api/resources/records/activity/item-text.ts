/** JSON texts of the items of the activity. */

import { renderActor } from '#engine/attribute-types/actor-reference'
import type { DataModel } from '#engine/data-model/model'
import { compileValues } from '#engine/entities/read/render'
import type { ChangedAttribute } from '#engine/storage/changes'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { ItemType } from './schemas'

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

/**
 * From a row to the `values` of a record or the `entry_values` of an entry, as JSON text. Compiled once per data model
 * and entity type; the hot path of every read. See docs/reference/values.md (The form of a value).
 */

import { renderActor } from '../../attribute-types/actor-reference'
import { attributeType } from '../../attribute-types/registry'
import { visibleAttributes } from '../../data-model/find'
import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import { type Micros, timestampFromMicros, timestampFromPostgres } from '../../timing/clock'
import {
  compileLayout,
  createdAtText,
  creationOf,
  creatorOf,
  type LaidOutAttribute,
  type Layout,
  provenanceOf,
  type Row,
} from '../../storage/layout'
import { type Provenance, shownActor, type Version } from '../../storage/provenance'

export interface Renderer {
  readonly layout: Layout
  /** The values map of a row read with `layout.select`. */
  renderValues(row: Row): string
}

const renderers = new WeakMap<EntityType, Renderer>()

/** The renderer of an entity type's visible attributes. Kept with the entity type, so with its version of the data model. */
export function rendererOf(model: DataModel, entityType: EntityType): Renderer {
  const known = renderers.get(entityType)
  if (known) return known
  const renderer = compileRenderer(model, entityType, visibleAttributes(model, entityType).filter(isShown))
  renderers.set(entityType, renderer)
  return renderer
}

/** An entry shows its parent beside its values. See docs/reference/objects-and-attributes.md (System attributes). */
const isShown = ({ stored_in, api_slug }: Attribute): boolean => stored_in !== 'entity' || api_slug !== 'parent_record'

/** A renderer of some attributes of an entity type, in their order; not kept. */
export function compileRenderer(model: DataModel, entityType: EntityType, attributes: readonly Attribute[]): Renderer {
  const layout = compileLayout(model, entityType, attributes)
  const parts = layout.attributes.map((laidOut) => compilePart(laidOut, model))
  const between = compileBetween(attributes)
  const actor = renderActor(model)
  return {
    layout,
    renderValues(row) {
      const provenance = provenanceOf(row)
      const createdHead = flat(`{${head(timestampFromPostgres(createdAtText(row)), 'null', actor(creatorOf(row)))}`)
      let text = ''
      let rendered = 0
      for (let index = 0; index < parts.length; index++) {
        const part = parts[index]
        if (!part || part.isEmpty(row)) continue
        text += between(rendered, index + 1) + part.render(row, createdHead, provenance)
        rendered = index + 1
      }
      return text + between(rendered, parts.length + 1)
    },
  }
}

/** What is compiled of one attribute. */
interface Part {
  isEmpty(row: Row): boolean
  /** The values without their brackets and the last brace; those as old as the entity, as most are, begin with `createdHead`. */
  render(row: Row, createdHead: string, provenance: Provenance | null): string
}

function compilePart({ attribute, isEmpty, stored, read }: LaidOutAttribute, model: DataModel): Part {
  const { number } = attribute
  const render = compileValue(attribute, model)
  const actor = renderActor(model)
  const renderVersion = (version: Version): string =>
    `{${head(timestampFromMicros(version.active_from), 'null', actor(shownActor(version)))}${render(version.stored)}`
  return {
    isEmpty,
    render(row, createdHead, provenance) {
      if (!stored || provenance?.[number] !== undefined)
        return read(row, creationOf(row), provenance).map(renderVersion).join('},')
      let text = ''
      for (const value of stored(row)) text += (text === '' ? '' : '},') + createdHead + render(value)
      return text
    },
  }
}

/** Of entity types with many attributes, rows differ in more ways than are worth remembering. */
const MOST_TEXTS = 2000

/**
 * The text between the values of two attributes, from the brace that closes one to the bracket that opens the other, by how
 * many attributes were rendered before: most have none, and are one text. One more than there are is the end.
 */
function compileBetween(attributes: readonly Attribute[]): (from: number, to: number) => string {
  const openings = attributes.map(({ api_slug }, index) => `${index === 0 ? '{' : '],'}${JSON.stringify(api_slug)}:[`)
  const pieces = [...openings, attributes.length > 0 ? ']}' : '{}']
  const known = new Map<number, string>()
  return (from, to) => {
    const key = from * (pieces.length + 1) + to
    const before = known.get(key)
    if (before !== undefined) return before
    const text = flat((from === 0 ? '' : '}') + pieces.slice(from, to).join(''))
    if (known.size < MOST_TEXTS) known.set(key, text)
    return text
  }
}

/**
 * The same text. JavaScriptCore keeps what is concatenated as a tree of its parts until somebody reads it; of what is
 * part of many texts, that is done once.
 */
export const flat = (text: string): string => (text.charCodeAt(0) >= 0 ? text : '')

/** The members of a value after those of `head`, from its stored form. Clients know `attribute_type` as the last one. */
function compileValue(attribute: Attribute, model: DataModel) {
  const render = attributeType(attribute.type).render(attribute, model)
  const type = `,"attribute_type":"${attribute.type}"`
  return (stored: Version['stored']) => `,${render(stored)}${type}`
}

const head = (from: string, until: string, actor: string): string =>
  `"active_from":"${from}","active_until":${until},"created_by_actor":${actor}`

/** Versions of one attribute as the values endpoints answer them; `active_until` is null for active ones. */
export function compileVersions(attribute: Attribute, model: DataModel) {
  const actor = renderActor(model)
  const render = compileValue(attribute, model)
  return (versions: readonly (Version & { active_until: Micros | null })[]): string =>
    `[${versions
      .map((version) => {
        const until = version.active_until === null ? 'null' : `"${timestampFromMicros(version.active_until)}"`
        return `{${head(timestampFromMicros(version.active_from), until, actor(shownActor(version)))}${render(version.stored)}}`
      })
      .join(',')}]`
}

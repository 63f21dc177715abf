/**
 * From a row to the `values` of a record or the `entry_values` of an entry, as JSON text. Compiled once per data model
 * and owner; the hot path of every read. Spec: values 1.
 */

import { renderActor } from '../attribute-types/actor-reference'
import { attributeType } from '../attribute-types/registry'
import { visibleAttributes } from '../data-model/find'
import type { Attribute, DataModel, Owner } from '../data-model/model'
import { type Micros, timestampFromMicros, timestampFromPostgres } from '../time'
import { compileLayout, createdAtText, creationOf, type Layout, provenanceOf, type Row } from './layout'
import { shownActor, type Version } from './versions'

export interface Renderer {
  readonly layout: Layout
  /** The values map of a row read with `layout.select`. */
  renderValues(row: Row): string
}

const renderers = new WeakMap<Owner, Renderer>()

/** The renderer of an owner's visible attributes. Kept with the owner, so with its version of the data model. */
export function rendererOf(model: DataModel, owner: Owner): Renderer {
  const known = renderers.get(owner)
  if (known) return known
  const renderer = compileRenderer(model, owner, visibleAttributes(model, owner).filter(isShown))
  renderers.set(owner, renderer)
  return renderer
}

/** An entry shows its parent beside its values. Spec: standard-objects 10. */
const isShown = ({ stored_in, api_slug }: Attribute): boolean => stored_in !== 'holder' || api_slug !== 'parent_record'

/** A renderer of some attributes of an owner, in their order; not kept. */
export function compileRenderer(model: DataModel, owner: Owner, attributes: readonly Attribute[]): Renderer {
  const layout = compileLayout(model, owner, attributes)
  const actor = renderActor(model)
  const parts = layout.attributes.map(({ attribute, read }) => ({
    read,
    key: `${JSON.stringify(attribute.api_slug)}:[`,
    render: compileValue(attribute, model),
  }))
  return {
    layout,
    renderValues(row) {
      const created = creationOf(row)
      const provenance = provenanceOf(row)
      const createdHead = head(timestampFromPostgres(createdAtText(row)), 'null', actor(created.actor))
      let text = ''
      for (const { read, key, render } of parts) {
        text += text === '' ? key : `,${key}`
        const versions = read(row, created, provenance)
        let separator = ''
        for (const version of versions) {
          const asCreated = version.active_from === created.at && version.actor === created.actor && !version.mirrored
          const valueHead = asCreated
            ? createdHead
            : head(timestampFromMicros(version.active_from), 'null', actor(shownActor(version)))
          text += `${separator}{${valueHead}${render(version.stored)}}`
          separator = ','
        }
        text += ']'
      }
      return `{${text}}`
    },
  }
}

/** The members a value has besides those all values share, from its stored form. */
function compileValue(attribute: Attribute, model: DataModel) {
  const render = attributeType(attribute.type).render(attribute, model)
  const type = `,"attribute_type":"${attribute.type}",`
  return (stored: Version['stored']) => type + render(stored)
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

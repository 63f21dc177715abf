/** What the attribute of a condition can be: attributes, and the references that lead to attributes of other objects. */

import Link2 from '@lucide/svelte/icons/link-2'
import type { Component } from 'svelte'
import type { Attribute } from '../../../../api/data-model/attributes'
import type { List, WorkspaceObject } from '../../../../state/data-model.svelte'
import { attributesOf } from '../../../../state/attributes.svelte'
import { attributeTypeOf } from '../../../../values/attribute-types'
import { type FilteredTable, isFilterable, PARENT_RECORD } from '../filtered-attributes'
import type { Segment } from '../filter-tree'

export interface Choice {
  readonly id: string
  readonly label: string
  readonly group: string
  readonly icon: Component<{ size?: number | string }>
  /** The attribute of the condition; absent for choices that lead to another object. */
  readonly attribute?: Attribute
  /** The segments that lead to the attribute or the object, the attribute included. */
  readonly segments: readonly Segment[]
  /** The object whose attributes the choice shows. */
  readonly opens?: WorkspaceObject
}

/** The references that a person followed, and the object that they reached. */
export interface Trail {
  readonly segments: readonly Segment[]
  readonly object: WorkspaceObject
}

/** The limit of the API on the segments of a path. */
const MAX_SEGMENTS = 5

interface Model {
  readonly objects: readonly WorkspaceObject[]
  readonly lists: readonly List[]
}

/** Undefined while the attributes of the object are loading. */
export function choicesAt(table: FilteredTable, model: Model, trail: Trail | undefined): readonly Choice[] | undefined {
  const slug = trail ? (trail.object.api_slug ?? '') : table.entityType.slug
  const attributes = trail ? attributesOf({ kind: 'objects', slug })?.data?.filter(isFilterable) : table.attributes
  if (attributes === undefined) return undefined
  const before = trail?.segments ?? []
  const mayFollow = before.length < MAX_SEGMENTS - 1
  const own = attributes.flatMap((attribute, at) => {
    const segments = [...before, [slug, attribute.api_slug] as const]
    const isColumn = !trail && at < table.columnCount
    const group = trail ? (trail.object.singular_noun ?? slug) : isColumn ? 'In this table' : 'Other attributes'
    const { icon } = attributeTypeOf(attribute.type)
    const choice: Choice = {
      id: segments.join(),
      label: attribute.title,
      group,
      icon,
      attribute,
      segments,
    }
    const targets = mayFollow ? targetsOf(attribute, model.objects) : []
    return [choice, ...targets.map((object) => follow(attribute.title, group, segments, object, targets.length))]
  })
  return trail || table.entityType.kind === 'objects' ? own : [...own, ...parentChoices(table, model)]
}

/** The attributes of the records that the entries of a list belong to. */
function parentChoices({ entityType: { slug } }: FilteredTable, { objects, lists }: Model): Choice[] {
  const list = lists.find(({ api_slug }) => api_slug === slug)
  const parents = objects.filter(({ api_slug }) => api_slug !== null && list?.parent_object.includes(api_slug))
  const segments = [[slug, PARENT_RECORD] as const]
  return parents.map((object) => follow('Record', 'Other attributes', segments, object, parents.length))
}

const follow = (
  title: string,
  group: string,
  segments: readonly Segment[],
  object: WorkspaceObject,
  count: number,
): Choice => ({
  id: `${segments.join()},${object.api_slug}`,
  label: count > 1 ? `${title} (${object.singular_noun ?? ''}) → …` : `${title} → …`,
  group,
  icon: Link2,
  segments,
  opens: object,
})

/** The objects whose records an attribute refers to. */
function targetsOf(attribute: Attribute, objects: readonly WorkspaceObject[]): WorkspaceObject[] {
  if (attribute.type !== 'record-reference') return []
  const allowed = attribute.config.record_reference.allowed_object_ids
  return objects.filter(({ id, api_slug }) => api_slug !== null && (allowed?.includes(id.object_id) ?? true))
}

/** Choices whose words begin with the words of the query. */
export function matching(choices: readonly Choice[], query: string): readonly Choice[] {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean)
  return choices.filter(({ label }) => {
    const words = label.toLowerCase().split(/\s+/)
    return parts.every((part) => words.some((word) => word.startsWith(part)))
  })
}

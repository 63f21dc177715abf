/** What the attribute of a condition can be: attributes, and the references that lead to attributes of other objects. */

import type { Attribute } from '../../../../api/data-model/attributes'
import { standardWords } from '../../../../api/data-model/standard-names'
import { PARENT_RECORD } from '../../../../api/records/referenced-values'
import { referencedTypes, type RecordType } from '../../../../state/data-model.svelte'
import type { Condition, Segment } from '../filter-tree'
import { type FilteredTable, isNamed, pathTitles } from '../paths'

export interface Choice {
  readonly id: string
  readonly label: string
  /** The standard names of the attribute, by which people also search. */
  readonly words: string
  readonly group: string
  /** The attribute of the condition; absent for choices that lead to another object. */
  readonly attribute?: Attribute
  /** The segments that lead to the attribute or the object, the attribute included. */
  readonly segments: readonly Segment[]
  /** The object or activity whose attributes the choice shows. */
  readonly opens?: RecordType
}

/** The references that a person followed, and the object or activity that they reached. */
export interface Trail {
  readonly segments: readonly Segment[]
  readonly object: RecordType
}

/** The limit of the API on the segments of a path. */
const MAX_SEGMENTS = 5

/** Undefined while the attributes of the object are loading. */
export function choicesAt(table: FilteredTable, trail: Trail | undefined): readonly Choice[] | undefined {
  if (trail) return choicesOf(table, trail)
  const { attributes, columnCount, entityType, parents } = table
  const own = attributes.flatMap((attribute, at) => {
    const segments = [[entityType.slug, attribute.api_slug] as const]
    const group = at < columnCount ? IN_TABLE : 'Other attributes'
    // The attributes of parent records are choices themselves.
    const isFollowed = attribute.api_slug !== PARENT_RECORD || entityType.kind !== 'lists'
    return choicesFor(table, attribute, { segments, group, isFollowed })
  })
  const ofParents = parents.flatMap((object) => {
    const segments = [[entityType.slug, PARENT_RECORD] as const]
    return choicesOf(table, { segments, object }) ?? []
  })
  const columns = own.findLastIndex(({ group }) => group === IN_TABLE) + 1
  return [...own.slice(0, columns), ...columnChoices(table), ...own.slice(columns), ...ofParents]
}

const IN_TABLE = 'In this table'

/** The attributes of an object at the end of a path. */
function choicesOf(table: FilteredTable, { segments, object }: Trail): readonly Choice[] | undefined {
  const slug = object.api_slug ?? ''
  const at = { group: object.singular_noun ?? slug, isFollowed: segments.length < MAX_SEGMENTS - 1 }
  return table
    .attributesOf(slug)
    ?.flatMap((attribute) =>
      choicesFor(table, attribute, { ...at, segments: [...segments, [slug, attribute.api_slug] as const] }),
    )
}

/** The columns that show attributes of referenced records. */
function columnChoices(table: FilteredTable): Choice[] {
  return table.referencedColumns.flatMap((segments) => {
    const [slug, name] = segments.at(-1) ?? ['', '']
    const attribute = table.attributesOf(slug)?.find((one) => isNamed(one, name))
    if (!attribute) return []
    const [reference] = pathTitles(table, { path: segments })
    const label = `${reference} → ${attribute.title}`
    const words = standardWords(attribute.title)
    return [{ id: `column,${segments.join()}`, label, words, group: IN_TABLE, attribute, segments }]
  })
}

/** An attribute, and the objects that it refers to. */
function choicesFor(
  { types }: FilteredTable,
  attribute: Attribute,
  at: { readonly segments: readonly Segment[]; readonly group: string; readonly isFollowed: boolean },
): Choice[] {
  const { segments, group, isFollowed } = at
  const targets = isFollowed ? targetsOf(attribute, types) : []
  const { title } = attribute
  const words = standardWords(title)
  return [
    { id: segments.join(), label: title, words, group, attribute, segments },
    ...targets.map((object) => ({
      id: `${segments.join()},${object.api_slug}`,
      label: targets.length > 1 ? `${title} (${object.singular_noun ?? ''}) → …` : `${title} → …`,
      words,
      group,
      segments,
      opens: object,
    })),
  ]
}

/** The objects and activities whose records an attribute refers to. */
const targetsOf = (attribute: Attribute, types: readonly RecordType[]): readonly RecordType[] =>
  attribute.type === 'record-reference'
    ? referencedTypes(attribute, types).filter(({ api_slug }) => api_slug !== null)
    : []

/** How a condition names the attribute of a choice. */
export const targetOfChoice = (
  attribute: Attribute,
  segments: readonly Segment[],
): Pick<Condition, 'path' | 'attribute'> =>
  segments.length > 1 ? { path: segments, attribute: attribute.api_slug } : { attribute: attribute.api_slug }

/** Choices whose words begin with the words of the query. */
export function matching(choices: readonly Choice[], query: string): readonly Choice[] {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean)
  return choices.filter(({ label, words }) => {
    const all = `${label} ${words}`.toLowerCase().split(/\s+/)
    return parts.every((part) => all.some((word) => word.startsWith(part)))
  })
}

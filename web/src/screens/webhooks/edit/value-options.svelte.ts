/** The objects, activities, lists, attributes and members that a condition can name, by their ids. */

import type { EntityTypePath } from '../../../api/data-model/attributes'
import { workspaceMembers, memberName } from '../../../state/actors.svelte'
import { attributesOf } from '../../../state/attributes.svelte'
import { getDataModel } from '../../../state/data-model.svelte'
import { ACTOR_TYPES, type FieldInput } from './fields'
import type { DraftCondition } from './draft.svelte'

export interface ValueOption {
  readonly value: string
  readonly label: string
}

/** Undefined for fields whose value is an id that the person enters. `conditions` are all of the subscription. */
export function valueOptions(
  input: FieldInput,
  conditions: readonly DraftCondition[],
): readonly ValueOption[] | undefined {
  if (input === 'id') return undefined
  if (input === 'actor-type') return ACTOR_TYPES
  if (input === 'object') return objects().map(({ id, name }) => ({ value: id, label: name }))
  if (input === 'activity') return activities().map(({ id, name }) => ({ value: id, label: name }))
  if (input === 'list') return lists().map(({ id, name }) => ({ value: id, label: name }))
  if (input === 'attribute') return attributes(conditions)
  return (workspaceMembers() ?? []).map((member) => ({
    value: member.id.workspace_member_id,
    label: memberName(member),
  }))
}

interface NamedEntityType {
  readonly id: string
  readonly name: string
  readonly path: EntityTypePath
}

const objects = (): NamedEntityType[] =>
  (getDataModel().data?.objects ?? []).flatMap(({ id, api_slug, plural_noun }) =>
    api_slug === null
      ? []
      : [{ id: id.object_id, name: plural_noun ?? api_slug, path: { kind: 'objects', slug: api_slug } as const }],
  )

const activities = (): NamedEntityType[] =>
  (getDataModel().data?.activities ?? []).map(({ id, api_slug, plural_noun }) => ({
    id: id.activity_id,
    name: plural_noun,
    path: { kind: 'activities', slug: api_slug } as const,
  }))

const lists = (): NamedEntityType[] =>
  (getDataModel().data?.lists ?? []).map(({ id, api_slug, name }) => ({
    id: id.list_id,
    name,
    path: { kind: 'lists', slug: api_slug } as const,
  }))

/** The attributes of the objects, activities and lists that other conditions name, or else all attributes. */
function attributes(conditions: readonly DraftCondition[]): ValueOption[] {
  const named = new Set(conditions.filter(({ operator }) => operator === 'equals').map(({ value }) => value))
  const all = [...objects(), ...activities(), ...lists()]
  const chosen = all.filter(({ id }) => named.has(id))
  return (chosen.length > 0 ? chosen : all).flatMap(({ name, path }) =>
    (attributesOf(path)?.data ?? [])
      .filter(({ is_archived }) => !is_archived)
      .map(({ id, title }) => ({ value: id.attribute_id, label: `${name} › ${title}` })),
  )
}

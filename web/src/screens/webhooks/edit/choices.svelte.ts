/** What of the workspace a condition can name: its objects, lists, attributes and members, by their ids. */

import type { EntityTypePath } from '../../../api/data-model/attributes'
import { workspaceMembers, memberName } from '../../../state/actors.svelte'
import { attributesOf } from '../../../state/attributes.svelte'
import { getDataModel } from '../../../state/data-model.svelte'
import { ACTOR_TYPES, type Choosing } from './fields'
import type { DraftCondition } from './draft.svelte'

export interface ValueChoice {
  readonly value: string
  readonly label: string
}

/** Undefined where an id is written by hand. `conditions` are all of the subscription. */
export function valuesToChoose(
  choosing: Choosing,
  conditions: readonly DraftCondition[],
): readonly ValueChoice[] | undefined {
  if (choosing === 'id') return undefined
  if (choosing === 'actor-type') return ACTOR_TYPES
  if (choosing === 'object') return objects().map(({ id, name }) => ({ value: id, label: name }))
  if (choosing === 'list') return lists().map(({ id, name }) => ({ value: id, label: name }))
  if (choosing === 'attribute') return attributes(conditions)
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

const lists = (): NamedEntityType[] =>
  (getDataModel().data?.lists ?? []).map(({ id, api_slug, name }) => ({
    id: id.list_id,
    name,
    path: { kind: 'lists', slug: api_slug } as const,
  }))

/** Of the object or list that another condition names, or of all. */
function attributes(conditions: readonly DraftCondition[]): ValueChoice[] {
  const named = new Set(conditions.filter(({ operator }) => operator === 'equals').map(({ value }) => value))
  const all = [...objects(), ...lists()]
  const chosen = all.filter(({ id }) => named.has(id))
  return (chosen.length > 0 ? chosen : all).flatMap(({ name, path }) =>
    (attributesOf(path)?.data ?? [])
      .filter(({ is_archived }) => !is_archived)
      .map(({ id, title }) => ({ value: id.attribute_id, label: `${name} › ${title}` })),
  )
}

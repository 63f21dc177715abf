/** What a call may do with a list. Absent and not visible look alike. See docs/reference/lists-and-entries.md (Access to lists). */

import type { RequestContext } from '../../call'
import { findClosest, findList } from '../../data-model/find'
import { ACCESS_LEVELS, type AccessLevel, type ListType, type EntityType } from '../../data-model/model'
import { levelOn, type Viewer } from '../../data-model/viewer'
import { listAccessTooLow, listNotFound } from '../../errors/errors'

/** What the decision is made by. */
export type ListCaller = Pick<RequestContext, 'model' | 'actor' | 'memberId' | 'scopes'>

export function viewerOf({ model, actor, memberId, scopes }: ListCaller): Viewer {
  return {
    // An actor too new for this model is a key that was just made, or no more than one.
    kind: model.actors.get(actor)?.type ?? 'api-token',
    memberId,
    isAdmin: model.membersById.get(memberId ?? '')?.access_level === 'admin',
    scopes,
  }
}

/** Undefined where the list is not to be seen at all. */
export const listAccess = (context: ListCaller, list: ListType): AccessLevel | undefined =>
  levelOn(viewerOf(context), list)

/** In the order of their creation. */
export const visibleLists = (context: ListCaller): ListType[] =>
  context.model.entityTypes.filter(isList).filter((list) => listAccess(context, list) !== undefined)

export const isList = (entityType: EntityType): entityType is ListType => entityType.kind === 'list'

/** The list of this slug or id, for a call that needs `level` on it. Throws 404 and 403. */
export function getList(context: ListCaller, slugOrId: string, level: AccessLevel): ListType {
  const list = findList(context.model, slugOrId)
  const access = list && listAccess(context, list)
  if (!access) {
    const slugs = visibleLists(context).map(({ api_slug }) => api_slug)
    throw listNotFound(slugOrId, findClosest(slugOrId, slugs))
  }
  if (rankOf(access) < rankOf(level)) throw listAccessTooLow(list.api_slug, access, level)
  return list
}

const rankOf = (level: AccessLevel): number => ACCESS_LEVELS.indexOf(level)

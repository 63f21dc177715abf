/** Searches the records of objects and activities. See docs/reference/search.md. */

import { modelOfMember } from '#engine/data-model/access/member-model'
import { closestSlug, isHiddenObjectId } from '#engine/data-model/access/hidden'
import type { ApiContext } from '#context'
import { findRecordType, isEnabled, recordTypes } from '#engine/data-model/find'
import type { DataModel, Member, RecordType } from '#engine/data-model/model'
import { requireAllScopes } from '#base/errors/access'
import { standardObjectDisabled, unknownObject } from '#base/errors/attributes'
import { timestampFromPostgres } from '#base/timing/clock'
import { ACTIVITY_RECORD_SCOPES } from '#vocabulary/scopes'
import { unknownMember } from '#base/errors/records'
import { type Hit, search } from '#engine/search/search'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import type { SearchAnswer, SearchBody } from './schemas'

const DEFAULT_LIMIT = 25

/** Throws 400 for an unknown object or member and for disabled objects, 403 for an activity without the scopes of its records. */
export const searchRecords = (
  context: ApiContext,
  { query, objects, request_as, limit }: SearchBody,
): Promise<SearchAnswer> =>
  retryOnConflict(context, async (context) => {
    const { model } = context
    const ofRequester = modelOfMember(model, requesterOf(model, request_as)?.id)
    const named = [...new Set(objects.map((slugOrId) => searchedType(model, slugOrId)))]
    if (named.some(({ kind }) => kind === 'activity')) requireAllScopes(context.scopes, ACTIVITY_RECORD_SCOPES.read)
    const searched = named.filter(({ id }) => !isHiddenObjectId(ofRequester, id))
    const hits = await search(context, searched, { query, limit: limit ?? DEFAULT_LIMIT })
    return { data: hits.map((hit) => renderHit(model, hit)) }
  })

/** Throws 400 for an unknown member. Undefined for the workspace, which sees all objects. */
function requesterOf(model: DataModel, requester: SearchBody['request_as']): Member | undefined {
  if (requester.type === 'workspace') return undefined
  const [named, member] =
    'workspace_member_id' in requester
      ? [requester.workspace_member_id, model.membersById.get(requester.workspace_member_id.toLowerCase())]
      : [requester.email_address, model.membersByEmail.get(requester.email_address.toLowerCase())]
  if (!member) throw unknownMember(named)
  return member
}

function searchedType(model: DataModel, slugOrId: string): RecordType {
  const type = findRecordType(model, slugOrId)
  if (!type) throw unknownObject(slugOrId, closestSlug(slugOrId, recordTypes(model)))
  if (!isEnabled(type)) throw standardObjectDisabled(type.id)
  return type
}

function renderHit(
  model: DataModel,
  { object, id, label, image, keys, phoneNumbers, time }: Hit,
): SearchAnswer['data'][number] {
  const hit = {
    id: { workspace_id: model.workspace.id, object_id: object.id, record_id: id },
    record_text: label ?? id,
    record_image: image,
    object_slug: object.api_slug,
  }
  if (object.kind === 'activity') return time === null ? hit : { ...hit, timestamp: timestampFromPostgres(time) }
  if (object.standard_slug === 'people')
    return { ...hit, email_addresses: [...(keys ?? [])], phone_numbers: [...(phoneNumbers ?? [])] }
  return object.standard_slug === 'companies' ? { ...hit, domains: [...(keys ?? [])] } : hit
}

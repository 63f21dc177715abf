/** Finds what the text of a cell names: an option, a member or a record. */

import { type Attribute, type EntityTypePath, listOptions, optionId } from '../api/data-model/attributes'
import { listWorkspaceMembers } from '../api/access/workspace-members'
import { type FoundRecord, searchRecords } from '../api/records/search'
import { memberName, workspaceMembers } from '../state/actors.svelte'
import { allRecordTypes, getDataModel, referencedTypes } from '../state/data-model.svelte'
import { displayName } from '../state/record-label'
import { setRecordName } from '../state/record-names.svelte'
import { UnreadableText } from './define'
import { optionKindOf, optionsOf } from './options.svelte'
import { nounInSentence } from '../language'

const isNamed = (name: string, text: string): boolean => name.trim().toLowerCase() === text.trim().toLowerCase()

/** The only one; undefined for none and for several. */
const onlyOne = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined)

/** The id of the option or status with this title. */
export async function findOption(
  text: string,
  attribute: Attribute,
  entityType: EntityTypePath,
): Promise<string | undefined> {
  const kind = optionKindOf(attribute)
  if (kind === undefined) return undefined
  const cached = optionsOf(entityType, attribute)?.data
  const options = cached ?? (await listOptions(entityType, attribute.api_slug, kind))
  const found = options.find((option) => !option.is_archived && isNamed(option.title, text))
  return found && optionId(found)
}

/** The member with this name or email address. */
export async function findMember(text: string): Promise<object | undefined> {
  const members = workspaceMembers() ?? (await listWorkspaceMembers())
  const found = onlyOne(
    members.filter((member) => isNamed(memberName(member), text) || isNamed(member.email_address, text)),
  )
  return (
    found && {
      referenced_actor_type: 'workspace-member',
      referenced_actor_id: found.id.workspace_member_id,
    }
  )
}

/** The record with this name, email address or domain, of the objects and activities that the attribute allows. */
export async function findRecord(text: string, attribute: Attribute): Promise<object | undefined> {
  const slugs = referencedSlugs(attribute)
  if (slugs.length === 0) return undefined
  const records = await searchRecords(text.trim(), slugs, new AbortController().signal)
  const named = records.filter((record) => hasName(record, text))
  if (named.length > 1) return new UnreadableText(severalText(named, text.trim()))
  const [found] = named
  if (!found) return undefined
  setRecordName(found.id.record_id, displayName(found))
  return { target_object: found.object_slug, target_record_id: found.id.record_id }
}

/** Whether the name, an email address or a domain of the record is this text. */
export const hasName = (record: FoundRecord, text: string): boolean => textsOf(record).some((one) => isNamed(one, text))

const textsOf = (record: FoundRecord): readonly string[] => [
  displayName(record),
  ...(record.email_addresses ?? []),
  ...(record.domains ?? []),
]

/** How to name one of several records with the same name. */
function severalText([first]: readonly FoundRecord[], text: string): string {
  const slug = first?.object_slug
  const type = allRecordTypes(getDataModel().data).find(({ api_slug }) => api_slug === slug)
  const several = `Several ${nounInSentence(type?.plural_noun ?? 'records')} are named “${text}”.`
  if (slug === 'people') return `${several} Paste an email address instead.`
  return slug === 'companies' ? `${several} Paste a domain instead.` : several
}

/** The slugs of the objects and activities to whose records an attribute may refer. */
export const referencedSlugs = (attribute: Attribute): readonly string[] =>
  referencedTypes(attribute, allRecordTypes(getDataModel().data)).flatMap(({ api_slug }) => api_slug ?? [])

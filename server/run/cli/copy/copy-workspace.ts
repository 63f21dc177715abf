/** Copies a workspace: first its data model, then records, entries, notes and tasks. */

import { type ApiClient, RefusalError } from './api/api-client'
import type { CopyContext } from './copy-context'
import { copyAttributes, listAttributes, type SourceModel, type SourceType } from './data-model/copy-attributes'
import { copyLists } from './data-model/copy-lists'
import { copyObjects } from './data-model/copy-objects'
import { listRows } from './data-model/list-rows'
import type { Problems } from './problems'
import { isMember } from './shapes'
import { copyEntries, copyRecords, type EntityType } from './write/copy-entities'
import { copyNotes } from './write/copy-notes'
import { copyTasks } from './write/copy-tasks'

export async function copyWorkspace(context: CopyContext): Promise<void> {
  const objects = await copyObjects(context)
  const types: SourceType[] = []
  for (const { api_slug } of objects) types.push(await readType(context, 'objects', api_slug))
  const model: SourceModel = {
    objects: new Map(objects.map(({ id, api_slug }) => [id.object_id, api_slug])),
    attributes: new Map(
      types.flatMap(({ attributes }) => attributes.map((attribute) => [attribute.id.attribute_id, attribute])),
    ),
  }
  const objectTypes = await copyTypes(context, model, types)
  const listTypes: SourceType[] = []
  for (const { api_slug } of (await inSection(context, 'lists', () => copyLists(context))) ?? [])
    listTypes.push(await readType(context, 'lists', api_slug))
  const lists = await copyTypes(context, model, listTypes)
  await copyAllRecords(context, objectTypes)
  for (const list of lists) await inSection(context, `entries of ${list.slug}`, () => copyEntries(context, list))
  await inSection(context, 'notes', () => copyNotes(context))
  await inSection(context, 'tasks', () => copyTasks(context))
  context.problems.add(
    'record',
    '',
    'The copies have the API key as created_by, and the time of the copy as created_at.',
  )
}

async function readType(context: CopyContext, kind: 'objects' | 'lists', slug: string): Promise<SourceType> {
  const path = `/v2/${kind}/${slug}`
  return { path, slug, attributes: await listAttributes(context, path) }
}

async function copyTypes(
  context: CopyContext,
  model: SourceModel,
  types: readonly SourceType[],
): Promise<EntityType[]> {
  const copied: EntityType[] = []
  for (const type of types) {
    await inSection(context, `attributes of ${type.slug}`, async () => {
      copied.push({ slug: type.slug, attributes: await copyAttributes(context, model, type) })
    })
  }
  return copied
}

/** References to records that were copied later are written in a second pass. */
async function copyAllRecords(context: CopyContext, objects: readonly EntityType[]): Promise<void> {
  const pending: EntityType[] = []
  for (const object of objects) {
    await inSection(context, `records of ${object.slug}`, async () => {
      if (await copyRecords(context, object, false)) pending.push(object)
    })
  }
  for (const object of pending)
    await inSection(context, `records of ${object.slug}`, () => copyRecords(context, object, true))
}

/** A section that the source or the target refuses, for example because of the scopes of a key, becomes a problem. */
async function inSection<T>(
  { problems, tally }: CopyContext,
  section: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    problems.add(section, '', error.message)
    tally.add(section, 'not copied')
    return undefined
  }
}

/** Members with the same email address at both ends. */
export async function matchMembers(
  source: ApiClient,
  target: ApiClient,
  problems: Problems,
): Promise<ReadonlyMap<string, string>> {
  try {
    const list = (client: ApiClient) => listRows(client, '/v2/workspace_members', isMember, problems)
    const targets = new Map((await list(target)).map((member) => [member.email_address.toLowerCase(), member.id]))
    const pairs = (await list(source)).flatMap(({ id, email_address }) => {
      const copy = targets.get(email_address.toLowerCase())
      return copy === undefined ? [] : [[id.workspace_member_id, copy.workspace_member_id] as const]
    })
    return new Map(pairs)
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    problems.add('members', '', error.message)
    return new Map()
  }
}

/** Copies a workspace: first its data model, then records, entries, notes and tasks. */

import { type ApiClient, type Json, RefusalError } from './api/api-client'
import type { CopyContext, CopyOutcome, Problems } from './copy-context'
import {
  copyAttributes,
  copyComputed,
  listSourceAttributes,
  type SourceModel,
  type SourceType,
  writeDefinition,
} from './data-model/copy-attributes'
import { listRows, readRowsOfApi } from './api/read-rows'
import {
  type Check,
  isActivityShape,
  isListShape,
  isMember,
  isNote,
  isObjectShape,
  type SourceActivity,
  type SourceList,
  type SourceNote,
  type SourceObject,
} from './shapes'
import { copyEntries, copyRecords, type CopiedEntityType, copyTasks } from './write/copy-entities'
import { writeItem } from './write/write-item'

export async function copyWorkspace(context: CopyContext): Promise<void> {
  const objects = await copyDefinitions(context, OBJECTS)
  const activities = (await inSection(context, 'activities', () => copyActivities(context))) ?? []
  const types: SourceType[] = []
  for (const { api_slug } of objects) types.push(await readType(context, 'objects', api_slug))
  for (const { api_slug } of activities) types.push(await readType(context, 'activities', api_slug))
  const activityIds = new Set(activities.map(({ id }) => id.activity_id))
  const model: SourceModel = {
    objects: new Map([
      ...objects.map(({ id, api_slug }) => [id.object_id, api_slug] as const),
      ...activities.map(({ id, api_slug }) => [id.activity_id, api_slug] as const),
    ]),
    attributes: new Map(
      types.flatMap(({ attributes }) => attributes.map((attribute) => [attribute.id.attribute_id, attribute])),
    ),
    isOfActivity: ({ relationship }) => relationship != null && activityIds.has(relationship.id.object_id),
  }
  const recordTypes = await copyTypes(context, model, types)
  const listTypes: SourceType[] = []
  for (const { api_slug } of (await inSection(context, 'lists', () => copyLists(context))) ?? [])
    listTypes.push(await readType(context, 'lists', api_slug))
  const lists = await copyTypes(context, model, listTypes)
  await inSection(context, 'computed attributes', () => copyComputed(context, model, [...types, ...listTypes]))
  await copyAllRecords(context, recordTypes)
  for (const list of lists) await inSection(context, `entries of ${list.slug}`, () => copyEntries(context, list))
  await inSection(context, 'notes', () => copyNotes(context))
  await inSection(context, 'tasks', () => copyTasks(context))
  context.problems.add(
    'record',
    '',
    'The copies have the API key as created_by, and the time of the copy as created_at.',
  )
}

async function readType(
  context: CopyContext,
  kind: 'objects' | 'activities' | 'lists',
  slug: string,
): Promise<SourceType> {
  const path = `/v2/${kind}/${slug}`
  return { sourcePath: path, path, slug, attributes: await listSourceAttributes(context, path) }
}

async function copyTypes(
  context: CopyContext,
  model: SourceModel,
  types: readonly SourceType[],
): Promise<CopiedEntityType[]> {
  const copied: CopiedEntityType[] = []
  for (const type of types) {
    await inSection(context, `attributes of ${type.slug}`, async () => {
      const { sourcePath, path, slug } = type
      copied.push({ sourcePath, path, slug, attributes: await copyAttributes(context, model, type) })
    })
  }
  return copied
}

/** Records of objects, then those of activities. References to records that were copied later are written in a second pass. */
async function copyAllRecords(context: CopyContext, types: readonly CopiedEntityType[]): Promise<void> {
  const pending: CopiedEntityType[] = []
  for (const object of types) {
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

/** Copies the lists, and returns those that the target has now. */
async function copyLists(context: CopyContext): Promise<SourceList[]> {
  const { source, target, problems, state, tally } = context
  const lists = await listRows(source, '/v2/lists', isListShape, problems)
  const existing = await listRows(target, '/v2/lists', isListShape, problems)
  const copied: SourceList[] = []
  for (const list of lists) {
    const known = state.find('list', list.id.list_id)?.id
    const copy =
      existing.find(({ id }) => id.list_id === known) ?? existing.find(({ api_slug }) => api_slug === list.api_slug)
    if (await copyList(context, list, copy)) copied.push(list)
  }
  tally.finish('lists')
  return copied
}

async function copyList(context: CopyContext, list: SourceList, copy: SourceList | undefined): Promise<boolean> {
  const { api_slug, name, parent_object: parents, workspace_access } = list
  if (copy !== undefined && copy.parent_object.toSorted().join() !== parents.toSorted().join()) {
    context.problems.add(
      'list',
      api_slug,
      `The list of the target has another parent object than ${parents.join(', ')}.`,
    )
    context.tally.add('lists', 'not copied')
    return false
  }
  const members = { api_slug, name, workspace_access, workspace_member_access: convertAccess(context, list) }
  const [parent, ...others] = parents
  return writeDefinition(context, {
    kind: 'list',
    section: 'lists',
    sourceId: list.id.list_id,
    name: api_slug,
    path: '/v2/lists',
    copy,
    copyId: copy?.id.list_id,
    idMember: 'list_id',
    // Only older workspaces have lists with several; this service takes an array of them.
    create: { ...members, parent_object: others.length === 0 ? parent : parents },
    changes: members,
  })
}

const convertAccess = ({ members, problems }: CopyContext, { api_slug, workspace_member_access }: SourceList) =>
  workspace_member_access.flatMap(({ workspace_member_id, level }) => {
    const member = members.get(workspace_member_id)
    if (member !== undefined) return [{ workspace_member_id: member, level }]
    problems.add('list', api_slug, `The target has no member ${workspace_member_id} who has access.`)
    return []
  })

/** Objects or activities. */
interface TypeKind<Row extends SourceObject | SourceActivity> {
  readonly kind: 'object' | 'activity'
  readonly path: string
  readonly query?: string
  readonly isRow: Check<Row>
  idOf(row: Row): string
  /** What a creation has besides the names. */
  others(row: Row): Json
  readonly isSlugFixed: (row: Row) => boolean
}

const OBJECTS: TypeKind<SourceObject> = {
  kind: 'object',
  path: '/v2/objects',
  isRow: isObjectShape,
  idOf: ({ id }) => id.object_id,
  others: () => ({}),
  isSlugFixed: () => false,
}

const ACTIVITIES: TypeKind<SourceActivity> = {
  kind: 'activity',
  path: '/v2/activities',
  query: '?limit=1000',
  isRow: isActivityShape,
  idOf: ({ id }) => id.activity_id,
  others: ({ extends: [schema] }) => ({ extends: schema?.schema_slug }),
  isSlugFixed: ({ is_system_activity }) => is_system_activity,
}

/** Copies the objects or the activities, and returns those that the target has now. */
async function copyDefinitions<Row extends SourceObject | SourceActivity>(
  context: CopyContext,
  { kind, path, query = '', isRow, idOf, others, isSlugFixed }: TypeKind<Row>,
): Promise<Row[]> {
  const { source, target, state, problems, tally } = context
  const [, , section = ''] = path.split('/')
  const rows = await listRows(source, path + query, isRow, problems)
  const existing = await listRows(target, path + query, isRow, problems)
  const copied: Row[] = []
  for (const row of rows) {
    const { api_slug, singular_noun, plural_noun } = row
    const known = state.find(kind, idOf(row))?.id
    const copy =
      existing.find((other) => idOf(other) === known) ?? existing.find((other) => other.api_slug === api_slug)
    const names = { singular_noun, plural_noun }
    const isCopied = await writeDefinition(context, {
      kind,
      section,
      sourceId: idOf(row),
      name: api_slug,
      path,
      copy,
      copyId: copy && idOf(copy),
      idMember: `${kind}_id`,
      create: { api_slug, ...names, ...others(row) },
      changes: isSlugFixed(row) ? names : { api_slug, ...names },
    })
    if (isCopied) copied.push(row)
  }
  tally.finish(section)
  return copied
}

/** A source of an older version has no activities. */
async function copyActivities(context: CopyContext): Promise<SourceActivity[]> {
  try {
    return await copyDefinitions(context, ACTIVITIES)
  } catch (error) {
    if (error instanceof RefusalError && error.status === 404) return []
    throw error
  }
}

/** The largest page of the list of notes. */
const PAGE = 50

async function copyNotes(context: CopyContext): Promise<void> {
  const { source, problems, tally } = context
  const rows = readRowsOfApi<SourceNote>(
    {
      kind: 'notes',
      limit: PAGE,
      isRow: isNote,
      idOf: ({ id }) => id.note_id,
      readPage: (limit, offset) => source.request('GET', `/v2/notes?limit=${limit}&offset=${offset}`),
    },
    problems,
  )
  for await (const row of rows) tally.add('notes', await copyNote(context, row))
  tally.finish('notes')
}

async function copyNote(context: CopyContext, row: SourceNote): Promise<CopyOutcome> {
  const item = { kind: 'note', sourceId: row.id.note_id }
  const parent = context.state.find('record', row.parent_record_id)
  if (parent === undefined) {
    context.problems.add(item.kind, item.sourceId, `The record ${row.parent_record_id} has no copy.`)
    return 'not copied'
  }
  if (typeof row.meeting_id === 'string')
    context.problems.add(item.kind, item.sourceId, 'Meetings are not copied.', 'meeting_id')
  return writeItem(context, {
    ...item,
    path: '/v2/notes',
    updateMethod: 'PATCH',
    idMember: 'note_id',
    members: { title: row.title, format: 'markdown', content: row.content_markdown },
    membersOnCreate: {
      parent_object: row.parent_object,
      parent_record_id: parent.id,
      created_at: row.created_at,
    },
  })
}

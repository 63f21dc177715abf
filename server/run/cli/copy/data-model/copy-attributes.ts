/** Copies the attributes of an object, an activity or a list, with their options. */

import { isJsonObject, type Json, RefusalError } from '#run/cli/copy/api/api-client'
import type { CopyContext } from '#run/cli/copy/copy-context'
import { type CopiedAttribute, isAttribute, isOption, type CopiedOption } from '#run/cli/copy/shapes'
import { hasIdsInValues } from '#run/cli/copy/write/convert-values'
import { listRows } from '#run/cli/copy/api/read-rows'
import { sha256 } from '#base/text/sha256'

/** An object, an activity or a list with its attributes at the source. */
export interface SourceType {
  /** At the source, for example `/v2/objects/people`. */
  readonly sourcePath: string
  /** The same at the target, where only the slug of a list can be another one. */
  readonly path: string
  readonly slug: string
  readonly attributes: readonly CopiedAttribute[]
}

export interface SourceModel {
  /** The slugs of the objects and activities by their ids. */
  readonly objects: ReadonlyMap<string, string>
  /** The attributes of all of them by their ids. */
  readonly attributes: ReadonlyMap<string, CopiedAttribute>
  /** Whether the other side of a relationship is an attribute of an activity. */
  readonly isOfActivity: (attribute: CopiedAttribute) => boolean
}

export const listSourceAttributes = ({ source, problems }: CopyContext, path: string) =>
  listRows(source, `${path}/attributes?show_archived=true`, isAttribute, problems)

/** Returns the attributes of the target that values are written to. */
export async function copyAttributes(
  context: CopyContext,
  model: SourceModel,
  type: SourceType,
): Promise<CopiedAttribute[]> {
  const listExisting = () =>
    listRows(context.target, `${type.path}/attributes?show_archived=true`, isAttribute, context.problems)
  let existing = await listExisting()
  for (const attribute of type.attributes.filter((each) => !isComputed(each))) {
    // The creation of the other side may have created this one.
    if (attribute.relationship && findCopy(context, { attribute, existing }) === undefined)
      existing = await listExisting()
    await copyAttribute(context, model, type, { attribute, existing })
  }
  // The records of activities have the references of both sides.
  const isWritten = (attribute: CopiedAttribute) =>
    type.path.startsWith('/v2/activities/') || !model.isOfActivity(attribute)
  const attributes = type.attributes.filter(isWritten)
  return writableAttributes(context, { ...type, attributes }, await listExisting())
}

/** Copies the computed attributes of all types, each after those that its definition names. */
export async function copyComputed(
  context: CopyContext,
  model: SourceModel,
  types: readonly SourceType[],
): Promise<void> {
  const computed = types.flatMap((type) =>
    type.attributes
      .filter(isComputed)
      .map((attribute) => ({ type, attribute, text: JSON.stringify(attribute.computed) })),
  )
  const rest = new Set(computed)
  while (rest.size > 0) {
    const names = (text: string, slug: string) => text.split(/[^\w-]+/).includes(slug)
    const isFree = (each: (typeof computed)[number]) =>
      ![...rest].some((other) => other !== each && names(each.text, other.attribute.api_slug))
    const free = [...rest].filter(isFree)
    for (const each of free.length > 0 ? free : [...rest]) {
      const { type, attribute } = each
      rest.delete(each)
      const existing = await listRows(
        context.target,
        `${type.path}/attributes?show_archived=true`,
        isAttribute,
        context.problems,
      )
      await copyAttribute(context, model, type, { attribute, existing })
    }
  }
}

const isComputed = ({ computed }: CopiedAttribute): boolean => computed !== undefined

interface Pair {
  readonly attribute: CopiedAttribute
  readonly existing: readonly CopiedAttribute[]
}

async function copyAttribute(context: CopyContext, model: SourceModel, type: SourceType, pair: Pair): Promise<void> {
  const { attribute } = pair
  const copy = findCopy(context, pair)
  const name = `${type.slug}.${attribute.api_slug}`
  if (copy === undefined && attribute.is_archived) {
    context.problems.add('attribute', name, 'Archived attributes are not copied.')
    return
  }
  if (copy !== undefined && copy.type !== attribute.type) {
    context.problems.add(
      'attribute',
      name,
      `The type is ${attribute.type} at the source and ${copy.type} at the target.`,
    )
    return
  }
  const isSystem = attribute.is_system_attribute || copy?.is_system_attribute === true
  const isCopied = await writeDefinition(context, {
    kind: 'attribute',
    section: 'attributes',
    sourceId: attribute.id.attribute_id,
    name,
    path: `${type.path}/attributes`,
    copy: copy && { ...copy, config: { currency: copy.config.currency }, ...computedOf(copy) },
    copyId: copy?.id.attribute_id,
    idMember: 'attribute_id',
    create: newAttribute(context, model, attribute, name),
    changes: laterChanges(attribute, isSystem),
  })
  if (isCopied && !attribute.is_archived && !isComputed(attribute)) await copyOptions(context, type, attribute)
}

/** The members of an attribute that exists at the target. */
function laterChanges(attribute: CopiedAttribute, isSystem: boolean): Json {
  const { title, description, api_slug, is_archived } = attribute
  if (isComputed(attribute)) return { title, description, api_slug, is_archived, ...computedOf(attribute) }
  return isSystem ? {} : { ...changesOf(attribute), is_archived }
}

/** A definition has one of these. */
function computedOf({ computed }: CopiedAttribute) {
  if (computed === undefined) return {}
  const { formula, lookup, rollup, tracked } = computed
  return {
    computed: {
      ...(formula !== undefined && { formula }),
      ...(lookup && { lookup }),
      ...(rollup && { rollup }),
      ...(tracked === true && { tracked }),
    },
  }
}

function findCopy({ state }: CopyContext, { attribute, existing }: Pair): CopiedAttribute | undefined {
  const known = state.find('attribute', attribute.id.attribute_id)?.id
  return (
    existing.find(({ id }) => id.attribute_id === known) ??
    existing.find(({ api_slug }) => api_slug === attribute.api_slug)
  )
}

function changesOf(attribute: CopiedAttribute): Json {
  const { title, description, api_slug, is_required, is_unique, config } = attribute
  const defaultValue = copiedDefault(attribute)
  return {
    title,
    description,
    api_slug,
    is_required,
    is_unique,
    ...(hasCurrency(config) && { config: { currency: config.currency } }),
    ...(defaultValue !== undefined && { default_value: defaultValue }),
  }
}

function newAttribute(context: CopyContext, model: SourceModel, attribute: CopiedAttribute, name: string): Json {
  const { type, is_multiselect, config, relationship } = attribute
  if (isJsonObject(attribute.default_value) && copiedDefault(attribute) === undefined)
    context.problems.add('attribute', name, 'The default value names ids of the source and is not copied.')
  const slugs = config.record_reference?.allowed_object_ids?.flatMap((id) => model.objects.get(id) ?? [])
  const other = relationship ? model.attributes.get(relationship.id.attribute_id) : undefined
  const object = relationship ? model.objects.get(relationship.id.object_id) : undefined
  return {
    ...changesOf(attribute),
    type,
    is_multiselect,
    config: {
      ...(hasCurrency(config) && { currency: config.currency }),
      ...(slugs !== undefined && { record_reference: { allowed_objects: slugs } }),
    },
    ...computedOf(attribute),
    ...(other !== undefined && {
      relationship: { object, title: other.title, api_slug: other.api_slug, is_multiselect: other.is_multiselect },
    }),
  }
}

/** The configuration of other types has nulls here. */
const hasCurrency = ({ currency }: CopiedAttribute['config']): boolean =>
  typeof currency?.default_currency_code === 'string'

/** Undefined for a default value that names ids of the source. */
function copiedDefault({ default_value, type }: CopiedAttribute): unknown {
  if (!isJsonObject(default_value)) return undefined
  return default_value.type === 'dynamic' || !hasIdsInValues(type) ? default_value : undefined
}

/** Reports attributes of the source whose values cannot be written. */
function writableAttributes(
  context: CopyContext,
  type: SourceType,
  existing: readonly CopiedAttribute[],
): CopiedAttribute[] {
  const bySlug = new Map(existing.map((attribute) => [attribute.api_slug, attribute]))
  return type.attributes.flatMap((attribute) => {
    if (attribute.is_archived) return []
    const copy = bySlug.get(attribute.api_slug)
    const name = `${type.slug}.${attribute.api_slug}`
    if (copy !== undefined && copy.type === attribute.type && copy.is_writable && !copy.is_archived) return [copy]
    if (copy !== undefined && !copy.is_writable && copy.computed === undefined)
      context.problems.add('attribute', name, 'The attribute is read-only; its values are not copied.')
    return []
  })
}

interface OptionResource {
  readonly name: string
  readonly idMember: 'option_id' | 'status_id'
  membersOf(option: CopiedOption): Json
}

/** The types of attributes that have options. */
const RESOURCES: ReadonlyMap<string, OptionResource> = new Map<string, OptionResource>([
  ['select', { name: 'options', idMember: 'option_id', membersOf: ({ title, color = null }) => ({ title, color }) }],
  [
    'status',
    {
      name: 'statuses',
      idMember: 'status_id',
      membersOf: ({ title, color = null, celebration_enabled = false, target_time_in_status = null }) => ({
        title,
        color,
        celebration_enabled,
        target_time_in_status,
      }),
    },
  ],
])

/** Copies the options or statuses of an attribute, if it can have any. */
async function copyOptions(
  context: CopyContext,
  { sourcePath, path }: SourceType,
  { api_slug, type }: CopiedAttribute,
): Promise<void> {
  const options = RESOURCES.get(type)
  if (options === undefined) return
  const resource = `attributes/${api_slug}/${options.name}`
  await copyAll(context, { source: `${sourcePath}/${resource}`, target: `${path}/${resource}` }, api_slug, options)
}

async function copyAll(
  context: CopyContext,
  paths: { readonly source: string; readonly target: string },
  api_slug: string,
  { idMember, membersOf }: OptionResource,
): Promise<void> {
  const [options, existing] = [
    await listRows(context.source, `${paths.source}?show_archived=true`, isOption, context.problems),
    await listRows(context.target, `${paths.target}?show_archived=true`, isOption, context.problems),
  ]
  for (const option of options) {
    const name = `${api_slug}: ${option.title}`
    const sourceId = option.id[idMember]
    if (sourceId === undefined) {
      context.problems.add('option', name, `The source answers the option without ${idMember}.`)
      continue
    }
    const known = context.state.find('option', sourceId)?.id
    const copy = existing.find(({ id }) => id[idMember] === known) ?? existing.find(hasTitleOf(option))
    if (copy === undefined && option.is_archived) {
      context.problems.add('option', name, 'Archived options are not copied.')
      continue
    }
    const members = membersOf(option)
    await writeDefinition(context, {
      kind: 'option',
      section: 'options',
      sourceId,
      name,
      path: paths.target,
      copy,
      copyId: copy?.id[idMember],
      idMember,
      create: members,
      changes: { ...members, is_archived: option.is_archived },
    })
  }
}

/** Titles are unique in any case. */
const hasTitleOf =
  ({ title }: CopiedOption) =>
  (other: CopiedOption) =>
    other.title.toLowerCase() === title.toLowerCase()

// Writes an object, an attribute, an option or a list of the source to the target.

interface Definition {
  readonly kind: string
  readonly section: string
  readonly sourceId: string
  /** Names the definition in problems. */
  readonly name: string
  readonly path: string
  /** The copy as the target answers it, if it exists. */
  readonly copy: unknown
  readonly copyId: string | undefined
  /** The member of the answer's `id` that names the definition. */
  readonly idMember: string
  readonly create: Json
  /** The members that may change later. */
  readonly changes: Json
}

/** Returns false when the target refuses the definition. */
export async function writeDefinition(context: CopyContext, definition: Definition): Promise<boolean> {
  const { kind, section, sourceId, name, copyId } = definition
  try {
    const id = copyId === undefined ? await create(context, definition) : copyId
    const isChanged = copyId !== undefined && (await change(context, definition, copyId))
    if (context.state.find(kind, sourceId)?.id !== id) context.state.set(kind, sourceId, { id, hash: '' })
    context.tally.add(section, copyId === undefined ? 'created' : isChanged ? 'updated' : 'unchanged')
    return true
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    context.problems.add(kind, name, error.message)
    context.tally.add(section, 'not copied')
    return false
  }
}

async function create({ target, state }: CopyContext, definition: Definition): Promise<string> {
  const { kind, sourceId, path, create: data, idMember } = definition
  // A creation whose answer was lost is answered again; a copy that was deleted is created anew.
  const idempotencyKey = sha256(JSON.stringify([kind, sourceId, state.find(kind, sourceId)?.id, data]))
  const answer = await target.request('POST', path, { data }, idempotencyKey)
  const id =
    isJsonObject(answer) && isJsonObject(answer.data) && isJsonObject(answer.data.id) ? answer.data.id[idMember] : 0
  if (typeof id !== 'string') throw new RefusalError(200, { message: `The target answers without ${idMember}.` })
  return id
}

/** Sends the members that differ, and returns whether there are any. */
async function change({ target }: CopyContext, { path, copy, changes }: Definition, id: string): Promise<boolean> {
  const current = isJsonObject(copy) ? copy : {}
  const differing = Object.entries(changes).filter(([member, value]) => !Bun.deepEquals(current[member], value))
  if (differing.length === 0) return false
  await target.request('PATCH', `${path}/${id}`, { data: Object.fromEntries(differing) })
  return true
}

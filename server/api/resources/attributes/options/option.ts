/**
 * The rules that select options and statuses share. Both are rows of one table.
 * See docs/reference/objects-and-attributes.md (Select options and statuses).
 */

import type { OptionKind } from '#engine/attribute-types/define'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { currentTitles, findOption } from '#engine/attribute-types/definition/options'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel, EntityType, Option } from '#engine/data-model/model'
import {
  attributeNotFound,
  notAnOptionAttribute,
  optionConflict,
  systemAttributeNotEditable,
  unknownOption,
  unknownStatus,
} from '#base/errors/attributes'
import { invalidBody } from '#base/errors/http'
import type { NewOption, OptionOutput, StatusOutput } from './schemas'
import { getListed } from '#api/resources/attributes/store'
import type { ModelChange } from '#engine/data-model/change-model'
import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { limitOffsetOf } from '#api/http/request/pagination'
import { type AttributeInput, type ListQuery, NewOptions } from '#api/resources/attributes/schemas'
import { compileCheck } from '#base/validation/compile-check'
import { buildOption } from '#engine/workspaces/build-attribute'

const MAX_TITLE = 255

/** The words for the kinds in error texts. */
const NOUNS = { select: 'select option', status: 'status' } as const

const unknown = { select: unknownOption, status: unknownStatus } as const

/** Returns an attribute whose options are read. A status attribute has an empty list of options; other types throw 404. */
function getReadable(model: DataModel, entityType: EntityType, slugOrId: string, kind: OptionKind): Attribute {
  const attribute = getListed(model, entityType, slugOrId)
  const own = attributeType(attribute.type).optionKind
  if (own !== kind && own !== 'status') throw attributeNotFound(slugOrId)
  return attribute
}

/** Returns the options of the kind. A status attribute has no options. */
const optionsOf = ({ type, options }: Attribute, kind: OptionKind): readonly Option[] =>
  attributeType(type).optionKind === kind ? options : []

/** Returns an attribute whose options clients may change. Throws 400 for an attribute that the service fills. */
export function getWritable(model: DataModel, entityType: EntityType, slugOrId: string, kind: OptionKind): Attribute {
  const attribute = getListed(model, entityType, slugOrId)
  if (attributeType(attribute.type).optionKind !== kind) throw notAnOptionAttribute(kind, attribute.api_slug)
  if (!attribute.is_writable) throw systemAttributeNotEditable()
  return attribute
}

/** Returns the option with this id or title, also an archived one. */
export function getOption(attribute: Attribute, idOrTitle: string, kind: OptionKind): Option {
  const option = findOption(attribute, idOrTitle, 'all')
  if (!option) throw unknown[kind](attribute.api_slug, idOrTitle, currentTitles(attribute))
  return option
}

/** Returns the title in the form in which it is stored. */
export function parseTitle(title: string, path: (string | number)[] = ['data', 'title']): string {
  const trimmed = title.trim()
  if (trimmed === '') {
    const message = 'String must contain at least 1 character(s)'
    throw invalidBody([{ code: 'too_small', path, message, minimum: 1, inclusive: true, kind: 'string' }])
  }
  if (trimmed.length > MAX_TITLE) {
    const message = `String must contain at most ${MAX_TITLE} character(s)`
    throw invalidBody([{ code: 'too_big', path, message, maximum: MAX_TITLE, inclusive: true, kind: 'string' }])
  }
  return trimmed
}

/** Refuses a title that another option of the attribute has, also an archived one. Upper and lower case are the same. */
export function refuseTakenTitle(attribute: Attribute, title: string, kind: OptionKind, self?: Option): void {
  const taken = attribute.options.some(
    (other) => other.id !== self?.id && other.title.toLowerCase() === title.toLowerCase(),
  )
  if (taken) throw optionConflict(NOUNS[kind], title)
}

/** Throws the same conflict when only the database finds the titles equal, because it folds case differently. */
export async function orTitleConflict<T>(write: Promise<T>, title: string, kind: OptionKind): Promise<T> {
  try {
    return await write
  } catch (error) {
    const violated = error instanceof Error && 'constraint_name' in error && error.constraint_name === 'options_title'
    throw violated ? optionConflict(NOUNS[kind], title) : error
  }
}

export const renderOption = (model: DataModel, attribute: Attribute, option: Option): OptionOutput | StatusOutput =>
  attributeType(attribute.type).optionKind === 'status'
    ? renderStatus(model, attribute, option)
    : renderSelectOption(model, attribute, option)

const renderSelectOption = (
  model: DataModel,
  attribute: Attribute,
  { id, title, is_archived, color }: Option,
): OptionOutput => ({
  id: { ...renderPlace(model, attribute), option_id: id },
  title,
  is_archived,
  ...(color !== null && { color }),
})

const renderStatus = (model: DataModel, attribute: Attribute, status: Option): StatusOutput => ({
  id: { ...renderPlace(model, attribute), status_id: status.id },
  title: status.title,
  is_archived: status.is_archived,
  celebration_enabled: status.celebration_enabled,
  target_time_in_status: status.target_time_in_status,
  ...(status.color !== null && { color: status.color }),
})

const renderPlace = (model: DataModel, { id, entity_type_id }: Attribute) => ({
  workspace_id: model.workspace.id,
  object_id: entity_type_id,
  attribute_id: id,
})

/** The option of a request. One of a select attribute has only a title and a color. */
export function newOption(number: number, kind: OptionKind, input: NewOption): Option {
  const { title, celebration_enabled = false, target_time_in_status = null, color = null } = input
  const option = { ...buildOption(number, title), color }
  return kind === 'status' ? { ...option, celebration_enabled, target_time_in_status } : option
}

const OPTIONS_PATH = ['data', 'config', 'options']
const checkOptions = compileCheck(NewOptions)

/** Parses the options in the configuration of a new attribute. Throws 400, and 409 for a title that stands twice. */
export function parseNewOptions({ type, config }: Pick<AttributeInput, 'type' | 'config'>): NewOption[] {
  const { optionKind } = attributeType(type)
  if (optionKind === undefined || config.options === undefined) return []
  const issues = checkOptions(config.options)
  if (issues.length > 0)
    throw invalidBody(issues.map((issue) => ({ ...issue, path: [...OPTIONS_PATH, ...issue.path] })))
  const titles = new Set<string>()
  // The check above found no issue.
  return (config.options as NewOptions).map((given, index) => {
    const input = typeof given === 'string' ? { title: given } : given
    const title = parseTitle(input.title, [...OPTIONS_PATH, index, 'title'])
    if (titles.has(title.toLowerCase())) throw optionConflict(NOUNS[optionKind], title)
    titles.add(title.toLowerCase())
    return { ...input, title }
  })
}

// The rows of options and statuses.

/** A new option, after all others. */
export async function insertOption(
  { control, model }: ModelChange,
  attribute: Attribute,
  option: Option,
  created_at: string,
): Promise<void> {
  const place = { workspace_id: model.workspace.id, attribute_id: attribute.id, position: option.number }
  await control
    .insertInto('relata.options')
    .values({ ...option, ...place, created_at })
    .execute()
}

export type OptionMembers = Partial<Omit<Option, 'id' | 'number'>>

export async function saveOption(
  { control, model }: ModelChange,
  option: Option,
  members: OptionMembers,
): Promise<void> {
  await control
    .updateTable('relata.options')
    .set(members)
    .where(equal({ workspace_id: model.workspace.id, id: option.id }))
    .execute()
}

/**
 * Lists the options of a select attribute, or the statuses of a status attribute, in their order.
 * See docs/reference/objects-and-attributes.md (Select options and statuses).
 */
export function listOptions(
  { model }: RequestContext,
  find: FindEntityType,
  slugOrId: string,
  kind: OptionKind,
  query: ListQuery,
): (OptionOutput | StatusOutput)[] {
  const attribute = getReadable(model, find(model), slugOrId, kind)
  const options = optionsOf(attribute, kind).filter((option) => query.show_archived === true || !option.is_archived)
  return limitOffsetOf(options, query).map((option) => renderOption(model, attribute, option))
}

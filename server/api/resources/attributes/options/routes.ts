import { Elysia } from 'elysia'
import { type TSchema, Type } from 'typebox'
import {
  type EntityTypePath,
  finderForChange,
  finderForReading,
  type FindEntityType,
} from '#access/list-access/entity-type-path'
import { paramsOf, type RouteGuard } from '#api/http/guard/route'
import { ListQuery } from '#api/resources/attributes/schemas'
import {
  listOptions,
  getOption,
  getWritable,
  insertOption,
  newOption,
  type OptionMembers,
  orTitleConflict,
  parseTitle,
  refuseTakenTitle,
  renderOption,
  saveOption,
} from './option'
import {
  OptionChange,
  OptionInput,
  OptionOutput,
  StatusChange,
  StatusInput,
  StatusOutput,
  type ChangedOption,
  type NewOption,
} from './schemas'
import type { OptionKind } from '#engine/attribute-types/define'
import type { RequestContext } from '#context'
import { allocateNumbers, changeModel, type ModelChange } from '#engine/data-model/change-model'
import { attributeEvents } from '#events/feed/model-events'
import { timestampFromMicros } from '#base/timing/clock'
import { getAttributeById } from '#api/resources/attributes/store'
import type { Attribute, Option } from '#engine/data-model/model'
import { emptyPayload } from '#base/errors/http'
import { refreshNamingFormulas } from '#api/resources/attributes/computed'
import { moveItem, saveOrder } from '#api/resources/attributes/update'

const one = <T extends TSchema>(schema: T) => Type.Object({ data: schema })
const many = <T extends TSchema>(schema: T) => Type.Object({ data: Type.Array(schema) })

/** What differs between the routes of select options and those of statuses. */
const OPTIONS = {
  kind: 'select',
  collection: 'options',
  parameter: 'option',
  name: { one: 'SelectOption', many: 'SelectOptions' },
  list: {
    summary: 'List the options of a select attribute',
    description: 'A status attribute has no options; its statuses have their own path.',
  },
  create: { summary: 'Add an option to a select attribute', body: one(OptionInput) },
  update: { summary: 'Rename, move, archive or restore an option, named by its id or title', body: one(OptionChange) },
  output: OptionOutput,
} as const
const STATUSES = {
  kind: 'status',
  collection: 'statuses',
  parameter: 'status',
  name: { one: 'Status', many: 'Statuses' },
  list: { summary: 'List the statuses of a status attribute' },
  create: { summary: 'Add a status to a status attribute', body: one(StatusInput) },
  update: { summary: 'Change, move, archive or restore a status, named by its id or title', body: one(StatusChange) },
  output: StatusOutput,
} as const

type CollectionPath = `${EntityTypePath['path']}/attributes/:attribute`
type SinglePath = `${CollectionPath}/:${'option' | 'status'}`

export const optionRoutes = (guard: RouteGuard, entityTypePath: EntityTypePath) =>
  new Elysia({ name: `options of ${entityTypePath.path}` })
    .use(routesOf(guard, entityTypePath, OPTIONS))
    .use(routesOf(guard, entityTypePath, STATUSES))

function routesOf(guard: RouteGuard, entityTypePath: EntityTypePath, options: typeof OPTIONS | typeof STATUSES) {
  const { name, read, write, older, find } = entityTypePath
  const { kind, collection, parameter, output } = options
  const path: string = `${entityTypePath.path}/attributes/:attribute/${collection}`
  const changes = { tag: 'Attributes', scopes: write, otherScopes: [older.write], response: one(output) }
  return new Elysia({ name: `${collection} of ${entityTypePath.path}` })
    .get(
      ...guard(
        path,
        {
          operation: `list${name}${options.name.many}`,
          ...options.list,
          tag: 'Attributes',
          scopes: read,
          otherScopes: [older.read],
          query: ListQuery,
          response: many(output),
        },
        ({ context, params: found, query }) => {
          const params = paramsOf<CollectionPath>(found)
          return { data: listOptions(context, finderForReading(find, context, params), params.attribute, kind, query) }
        },
      ),
    )
    .post(
      ...guard(
        path,
        { operation: `create${name}${options.name.one}`, ...options.create, ...changes },
        async ({ context, params: found, body: { data } }) => {
          const params = paramsOf<CollectionPath>(found)
          const finder = finderForChange(find, context, params)
          return { data: await createOption(context, finder, params.attribute, kind, data) }
        },
      ),
    )
    .patch(
      ...guard(
        `${path}/:${parameter}`,
        { operation: `update${name}${options.name.one}`, ...options.update, ...changes },
        async ({ context, params: found, body: { data } }) => {
          const params = paramsOf<SinglePath>(found)
          const { attribute, [parameter]: option } = params
          const named = { find: finderForChange(find, context, params), attribute, option }
          return { data: await updateOption(context, named, kind, data) }
        },
      ),
    )
}

// Creates and changes options and statuses. See docs/reference/objects-and-attributes.md (Select options and statuses).

/** Throws 404 for an unknown attribute, 400 for one without options or with options of the service, 409 for a title that is in use. */
async function createOption(
  context: RequestContext,
  find: FindEntityType,
  slugOrId: string,
  kind: OptionKind,
  input: NewOption,
): Promise<OptionOutput | StatusOutput> {
  const title = parseTitle(input.title)
  const { changed, model } = await changeModel(context, async (step) => {
    const attribute = getWritable(step.model, find(step.model), slugOrId, kind)
    refuseTakenTitle(attribute, title, kind)
    const number = await allocateNumbers(step.tx, step.model.workspace.id, 1)
    const option = newOption(number, kind, { ...input, title })
    const created_at = timestampFromMicros(context.now())
    await orTitleConflict(insertOption(step, attribute, option, created_at), title, kind)
    await refreshNamingFormulas(step, attribute, context.now)
    await attributeEvents(context, step, 'updated', [attribute])
    return { attributeId: attribute.id, id: option.id }
  })
  const attribute = getAttributeById(model, changed.attributeId)
  return renderOption(model, attribute, getOption(attribute, changed.id, kind))
}

// Renames, moves, archives or restores an option or status. Values show it also while it is archived.
// See docs/reference/objects-and-attributes.md (Select options and statuses).

/** The path of an option or status: the attribute, and the id or title of the option. */
interface OptionPath {
  readonly find: FindEntityType
  readonly attribute: string
  readonly option: string
}

/** Changes only the members of the input. Throws as `createOption`, 404 for an unknown option, and 400 for an empty input. */
async function updateOption(
  context: RequestContext,
  path: OptionPath,
  kind: OptionKind,
  input: ChangedOption,
): Promise<OptionOutput | StatusOutput> {
  const wanted = pick(kind, input)
  const { sort_order } = input
  const hasMembers = Object.keys(wanted).length > 0
  if (!hasMembers && sort_order === undefined) throw emptyPayload()
  const { changed, model } = await changeModel(context, async (step) => {
    const attribute = getWritable(step.model, path.find(step.model), path.attribute, kind)
    const option = getOption(attribute, path.option, kind)
    if (wanted.title !== undefined) refuseTakenTitle(attribute, wanted.title, kind, option)
    if (hasMembers) await orTitleConflict(saveOption(step, option, wanted), wanted.title ?? option.title, kind)
    if (wanted.title !== undefined) await refreshNamingFormulas(step, attribute, context.now)
    const isMoved = sort_order !== undefined && (await moveOption(step, attribute, option, sort_order))
    if (isMoved || !Bun.deepEquals(option, { ...option, ...wanted }))
      await attributeEvents(context, step, 'updated', [attribute])
    return { attributeId: attribute.id, id: option.id }
  })
  const attribute = getAttributeById(model, changed.attributeId)
  return renderOption(model, attribute, getOption(attribute, changed.id, kind))
}

/** Returns whether the order changed. */
async function moveOption(
  step: ModelChange,
  { options }: Attribute,
  option: Option,
  sortOrder: number,
): Promise<boolean> {
  const moved = moveItem(options, option, sortOrder)
  if (Bun.deepEquals(moved, options)) return false
  await saveOrder(step, 'relata.options', moved)
  return true
}

/** Returns the members of the input that belong to the kind. */
function pick(kind: OptionKind, input: ChangedOption): OptionMembers {
  const { title, is_archived, celebration_enabled, target_time_in_status, color } = input
  return {
    ...(title === undefined ? {} : { title: parseTitle(title) }),
    ...(is_archived === undefined ? {} : { is_archived }),
    ...(color === undefined ? {} : { color }),
    ...(kind === 'select' || celebration_enabled === undefined ? {} : { celebration_enabled }),
    ...(kind === 'select' || target_time_in_status === undefined ? {} : { target_time_in_status }),
  }
}

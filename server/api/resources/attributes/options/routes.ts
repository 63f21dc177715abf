import { Elysia } from 'elysia'
import { type TSchema, Type } from 'typebox'
import { type EntityTypePath, finderForChange, finderForReading } from '#access/list-access/entity-type-path'
import { paramsOf, type RouteGuard } from '#api/http/guard/route'
import { ListQuery } from '#api/resources/attributes/schemas'
import { createOption, updateOption } from './write'
import { listOptions } from './option'
import { OptionChange, OptionInput, OptionOutput, StatusChange, StatusInput, StatusOutput } from './schemas'

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

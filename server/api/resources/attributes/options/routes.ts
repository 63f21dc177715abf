import { Elysia } from 'elysia'
import { type TSchema, Type } from 'typebox'
import { type EntityTypePath, finderForChange, finderForReading } from '#access/list-access/entity-type-path'
import type { RouteGuard } from '#api/http/guard/route'
import { createOption, updateOption } from './write'
import { listOptions } from './option'
import { OptionChange, OptionInput, OptionOutput, StatusChange, StatusInput, StatusOutput } from './schemas'
import { ListQuery } from '#api/resources/attributes/schemas'

const one = <T extends TSchema>(schema: T) => Type.Object({ data: schema })
const many = <T extends TSchema>(schema: T) => Type.Object({ data: Type.Array(schema) })

export const optionRoutes = (guard: RouteGuard, { path, name, read, write, older, find }: EntityTypePath) =>
  new Elysia({ name: `options of ${path}` })
    .get(
      ...guard(
        `${path}/attributes/:attribute/options`,
        {
          operation: `list${name}SelectOptions`,
          summary: 'List the options of a select attribute',
          description: 'A status attribute has no options; its statuses have their own path.',
          tag: 'Attributes',
          scopes: read,
          otherScopes: [older.read],
          query: ListQuery,
          response: many(OptionOutput),
        },
        ({ context, params, query }) => ({
          data: listOptions(context, finderForReading(find, context, params), params.attribute, 'select', query),
        }),
      ),
    )
    .post(
      ...guard(
        `${path}/attributes/:attribute/options`,
        {
          operation: `create${name}SelectOption`,
          summary: 'Add an option to a select attribute',
          tag: 'Attributes',
          scopes: write,
          otherScopes: [older.write],
          body: one(OptionInput),
          response: one(OptionOutput),
        },
        async ({ context, params, body }) => ({
          data: await createOption(
            context,
            finderForChange(find, context, params),
            params.attribute,
            'select',
            body.data,
          ),
        }),
      ),
    )
    .patch(
      ...guard(
        `${path}/attributes/:attribute/options/:option`,
        {
          operation: `update${name}SelectOption`,
          summary: 'Rename, move, archive or restore an option, named by its id or title',
          tag: 'Attributes',
          scopes: write,
          otherScopes: [older.write],
          body: one(OptionChange),
          response: one(OptionOutput),
        },
        async ({ context, params, body }) => {
          const place = {
            attribute: params.attribute,
            option: params.option,
            find: finderForChange(find, context, params),
          }
          return { data: await updateOption(context, place, 'select', body.data) }
        },
      ),
    )

export const statusRoutes = (guard: RouteGuard, { path, name, read, write, older, find }: EntityTypePath) =>
  new Elysia({ name: `statuses of ${path}` })
    .get(
      ...guard(
        `${path}/attributes/:attribute/statuses`,
        {
          operation: `list${name}Statuses`,
          summary: 'List the statuses of a status attribute',
          tag: 'Attributes',
          scopes: read,
          otherScopes: [older.read],
          query: ListQuery,
          response: many(StatusOutput),
        },
        ({ context, params, query }) => ({
          data: listOptions(context, finderForReading(find, context, params), params.attribute, 'status', query),
        }),
      ),
    )
    .post(
      ...guard(
        `${path}/attributes/:attribute/statuses`,
        {
          operation: `create${name}Status`,
          summary: 'Add a status to a status attribute',
          tag: 'Attributes',
          scopes: write,
          otherScopes: [older.write],
          body: one(StatusInput),
          response: one(StatusOutput),
        },
        async ({ context, params, body }) => ({
          data: await createOption(
            context,
            finderForChange(find, context, params),
            params.attribute,
            'status',
            body.data,
          ),
        }),
      ),
    )
    .patch(
      ...guard(
        `${path}/attributes/:attribute/statuses/:status`,
        {
          operation: `update${name}Status`,
          summary: 'Change, move, archive or restore a status, named by its id or title',
          tag: 'Attributes',
          scopes: write,
          otherScopes: [older.write],
          body: one(StatusChange),
          response: one(StatusOutput),
        },
        async ({ context, params, body }) => {
          const place = {
            attribute: params.attribute,
            option: params.status,
            find: finderForChange(find, context, params),
          }
          return { data: await updateOption(context, place, 'status', body.data) }
        },
      ),
    )

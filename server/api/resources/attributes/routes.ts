import { Elysia } from 'elysia'
import { Type } from 'typebox'
import {
  ENTITY_TYPE_PATHS,
  type EntityTypePath,
  finderForChange,
  finderForReading,
} from '#access/list-access/entity-type-path'
import type { AppContext } from '#context'
import type { RouteGuard } from '#api/http/guard/route'
import { ACTIVITY_RECORD_SCOPES, type Scope } from '#vocabulary/scopes'
import { previewComputed } from './computed'
import { createAttribute } from './create'
import { deleteAttribute, updateAttribute } from './update'
import { listAttributes, readAttribute } from './store'
import { optionRoutes } from './options/routes'
import {
  type AttributeOutput,
  AttributeListResponse,
  AttributeResponse,
  CreateAttributeBody,
  ListQuery,
  PreviewBody,
  PreviewResponse,
  UpdateAttributeBody,
} from './schemas'

const tag = 'Attributes'

/** Attributes of objects, of lists and of activities, with their options and statuses. */
export function attributeRoutes(guard: RouteGuard) {
  const routes = new Elysia({ name: 'attributes' })
  for (const entityTypePath of ENTITY_TYPE_PATHS) {
    routes.use(listRoutes(guard, entityTypePath)).use(singleRoutes(guard, entityTypePath))
    routes.use(optionRoutes(guard, entityTypePath)).use(previewRoutes(guard, entityTypePath))
  }
  return routes
}

const listRoutes = (guard: RouteGuard, { path, name, noun, read, write, older, find }: EntityTypePath) =>
  new Elysia({ name: `attributes of ${path}` })
    .get(
      ...guard(
        `${path}/attributes`,
        {
          operation: `list${name}Attributes`,
          summary: `List the attributes of ${noun}`,
          description: 'In display order: system attributes, then custom ones in their order.',
          tag,
          scopes: read,
          otherScopes: [older.read],
          query: ListQuery,
          response: AttributeListResponse,
        },
        ({ context, params, query }) => ({
          data: listAttributes(context, finderForReading(find, context, params), query),
        }),
      ),
    )
    .post(
      ...guard(
        `${path}/attributes`,
        {
          operation: `create${name}Attribute`,
          summary: `Add an attribute to ${noun}`,
          description: 'With `relationship`, the other side is created on the other object at the same time.',
          tag,
          scopes: write,
          otherScopes: [older.write],
          body: CreateAttributeBody,
          response: AttributeResponse,
        },
        async ({ context, params, body }) => {
          const data = await createAttribute(context, finderForChange(find, context, params), body.data)
          wakeWorker(context, data)
          return { data }
        },
      ),
    )

/** Wakes the worker that computes the rest of a large table. */
function wakeWorker({ workers }: Pick<AppContext, 'workers'>, { computed }: AttributeOutput): void {
  if (computed?.is_complete === false) workers?.wake(computed.formula === undefined ? 'rollups' : 'formulas')
}

/** What reading the records or entries of the sample requires, beside the scopes of attributes. */
const SAMPLE_SCOPES: Readonly<Record<EntityTypePath['name'], readonly Scope[]>> = {
  Object: ['record_permission:read'],
  List: ['list_entry:read'],
  Activity: ACTIVITY_RECORD_SCOPES.read,
}

const previewRoutes = (guard: RouteGuard, { path, name, noun, write, find }: EntityTypePath) =>
  new Elysia({ name: `preview of formulas of ${path}` }).post(
    ...guard(
      `${path}/attributes/preview`,
      {
        operation: `preview${name}Formula`,
        summary: `Try a formula, a look-up or a rollup of ${noun}`,
        description: 'Answers the types that an attribute with it may have, and a sample of values. Nothing is stored.',
        tag,
        scopes: [...write, ...SAMPLE_SCOPES[name]],
        counts: 'read',
        body: PreviewBody,
        response: PreviewResponse,
      },
      async ({ context, params, body }) => ({
        data: await previewComputed(context, finderForChange(find, context, params)(context.model), body.data),
      }),
    ),
  )

const singleRoutes = (guard: RouteGuard, { path, name, read, write, older, find }: EntityTypePath) =>
  new Elysia({ name: `attribute of ${path}` })
    .get(
      ...guard(
        `${path}/attributes/:attribute`,
        {
          operation: `get${name}Attribute`,
          summary: 'Get an attribute, archived or not',
          tag,
          scopes: read,
          otherScopes: [older.read],
          showsWork: true,
          response: AttributeResponse,
        },
        async ({ context, params }) => ({
          data: await readAttribute(context, finderForReading(find, context, params), params.attribute),
        }),
      ),
    )
    .patch(
      ...guard(
        `${path}/attributes/:attribute`,
        {
          operation: `update${name}Attribute`,
          summary: 'Change, move, archive or restore a custom attribute',
          description: '`type` and `is_multiselect` cannot change. Existing data is never checked.',
          tag,
          scopes: write,
          otherScopes: [older.write],
          body: UpdateAttributeBody,
          response: AttributeResponse,
        },
        async ({ context, params, body }) => {
          const finder = finderForChange(find, context, params)
          const data = await updateAttribute(context, finder, params.attribute, body.data)
          wakeWorker(context, data)
          return { data }
        },
      ),
    )
    .delete(
      ...guard(
        `${path}/attributes/:attribute`,
        {
          operation: `delete${name}Attribute`,
          summary: 'Delete a custom attribute',
          description:
            'Permanent, with all values; a relationship is deleted with both sides. The slug can be used again.',
          tag,
          scopes: write,
          otherScopes: [older.write],
          response: Type.Object({}),
        },
        async ({ context, params }) => {
          await deleteAttribute(context, finderForChange(find, context, params), params.attribute)
          return {}
        },
      ),
    )

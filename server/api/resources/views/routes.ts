import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import {
  ENTITY_TYPE_PATHS,
  type EntityTypePath,
  finderForChange,
  finderForReading,
} from '#access/list-access/entity-type-path'
import type { RouteGuard } from '#api/http/guard/route'
import { createView, deleteView, listViews, readView, updateView, type ViewFinders } from './views'
import { CreateViewBody, UpdateViewBody, ViewAnswer, ViewsAnswer, ViewsQuery } from './schemas'

const tag = 'Views'

/**
 * Views of objects, of lists and of activities. At the console, every member may save personal views, shared views of objects, and shared views of
 * lists that the member may change.
 */
export function viewRoutes(guard: RouteGuard) {
  const routes = new Elysia({ name: 'views' })
  for (const entityTypePath of ENTITY_TYPE_PATHS)
    routes.use(collectionRoutes(guard, entityTypePath)).use(singleRoutes(guard, entityTypePath))
  return routes
}

const findersOf = (...path: Parameters<typeof finderForReading>): ViewFinders => ({
  read: finderForReading(...path),
  change: finderForChange(...path),
})

const collectionRoutes = (guard: RouteGuard, { path, name, noun, read, write, find }: EntityTypePath) =>
  new Elysia({ name: `views of ${path}` })
    .get(
      ...guard(
        `${path}/views`,
        {
          operation: `list${name}Views`,
          summary: `List the views of ${noun}`,
          description: 'In the order of their creation. Queries accept their ids as `filter_view_id`.',
          tag,
          scopes: read,
          query: ViewsQuery,
          response: ViewsAnswer,
        },
        ({ context, params, query }) => listViews(context, finderForReading(find, context, params), query),
      ),
    )
    .post(
      ...guard(
        `${path}/views`,
        {
          operation: `create${name}View`,
          summary: 'Save a view',
          description: 'Views store attributes by id, so renaming an attribute does not change them.',
          tag,
          scopes: write,
          memberScopes: read,
          body: CreateViewBody,
          response: ViewAnswer,
        },
        async ({ context, params, body }) => ({
          data: await createView(context, findersOf(find, context, params), body.data),
        }),
      ),
    )

const singleRoutes = (guard: RouteGuard, { path, name, read, write, find }: EntityTypePath) =>
  new Elysia({ name: `view of ${path}` })
    .get(
      ...guard(
        `${path}/views/:view_id`,
        { operation: `get${name}View`, summary: 'Get a view', tag, scopes: read, response: ViewAnswer },
        async ({ context, params }) => ({
          data: await readView(context, finderForReading(find, context, params), params.view_id),
        }),
      ),
    )
    .patch(
      ...guard(
        `${path}/views/:view_id`,
        {
          operation: `update${name}View`,
          summary: 'Change, archive or restore a view',
          tag,
          scopes: write,
          memberScopes: read,
          body: UpdateViewBody,
          response: ViewAnswer,
        },
        async ({ context, params, body }) => ({
          data: await updateView(context, findersOf(find, context, params), params.view_id, body.data),
        }),
      ),
    )
    .delete(
      ...guard(
        `${path}/views/:view_id`,
        {
          operation: `delete${name}View`,
          summary: 'Delete a view',
          tag,
          scopes: write,
          memberScopes: read,
          response: EmptyAnswer,
        },
        async ({ context, params }) => {
          await deleteView(context, findersOf(find, context, params), params.view_id)
          return {}
        },
      ),
    )

import { Elysia } from 'elysia'
import { OWNER_PATHS, type OwnerPath, toChange, toRead } from '../../access/entity-type-path'
import type { Door } from '../../http/guard/route'
import { deleteView } from './delete'
import { listViews, readView } from './get'
import { createView, updateView } from './save'
import { CreateViewBody, EmptyAnswer, UpdateViewBody, ViewAnswer, ViewsAnswer, ViewsQuery } from './schemas'

const tag = 'Views'

/** Views of objects and of lists. At the console every member saves views of objects; of lists, who may change the list. */
export function viewRoutes(door: Door) {
  const routes = new Elysia({ name: 'views' })
  for (const ownerPath of OWNER_PATHS) routes.use(collectionRoutes(door, ownerPath)).use(singleRoutes(door, ownerPath))
  return routes
}

const collectionRoutes = (door: Door, { path, name, read, write, find }: OwnerPath) =>
  new Elysia({ name: `views of ${path}` })
    .get(
      `${path}/views`,
      ...door(
        {
          operation: `list${name}Views`,
          summary: `List the views of ${name === 'List' ? 'a list' : 'an object'}`,
          description: 'In the order of their creation. Their ids are what queries take as `filter_view_id`.',
          tag,
          scopes: read,
          query: ViewsQuery,
          response: ViewsAnswer,
        },
        ({ call, params, query }) => listViews(call, toRead(find, call, params), query),
      ),
    )
    .post(
      `${path}/views`,
      ...door(
        {
          operation: `create${name}View`,
          summary: 'Save a view',
          description: 'Attributes are kept by id, so that renaming them changes nothing.',
          tag,
          scopes: write,
          memberScopes: read,
          body: CreateViewBody,
          response: ViewAnswer,
        },
        async ({ call, params, body }) => ({ data: await createView(call, toChange(find, call, params), body.data) }),
      ),
    )

const singleRoutes = (door: Door, { path, name, read, write, find }: OwnerPath) =>
  new Elysia({ name: `view of ${path}` })
    .get(
      `${path}/views/:view_id`,
      ...door(
        { operation: `get${name}View`, summary: 'Get a view', tag, scopes: read, response: ViewAnswer },
        async ({ call, params }) => ({ data: await readView(call, toRead(find, call, params), params.view_id) }),
      ),
    )
    .patch(
      `${path}/views/:view_id`,
      ...door(
        {
          operation: `update${name}View`,
          summary: 'Change, archive or restore a view',
          tag,
          scopes: write,
          memberScopes: read,
          body: UpdateViewBody,
          response: ViewAnswer,
        },
        async ({ call, params, body }) => ({
          data: await updateView(call, toChange(find, call, params), params.view_id, body.data),
        }),
      ),
    )
    .delete(
      `${path}/views/:view_id`,
      ...door(
        {
          operation: `delete${name}View`,
          summary: 'Delete a view',
          tag,
          scopes: write,
          memberScopes: read,
          response: EmptyAnswer,
        },
        async ({ call, params }) => {
          await deleteView(call, toChange(find, call, params), params.view_id)
          return {}
        },
      ),
    )

import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { RouteGuard } from '../../http/guard/route'
import { createList } from './create'
import { deleteList } from './delete'
import { listLists, readList } from './get'
import { CreateListBody, ListResponse, ListsResponse, UpdateListBody } from './schemas'
import { updateList } from './update'

const READ = ['list_configuration:read'] as const
const WRITE = ['list_configuration:read-write'] as const

export const listRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'lists' })
    .get(
      '/v2/lists',
      ...guard(
        {
          operation: 'listLists',
          summary: 'List lists',
          description: 'All lists that the token may see, in the order of their creation.',
          tag: 'Lists',
          scopes: READ,
          response: ListsResponse,
        },
        ({ context }) => ({ data: listLists(context) }),
      ),
    )
    .post(
      '/v2/lists',
      ...guard(
        {
          operation: 'createList',
          summary: 'Create a list',
          description: 'Somebody must have full access: the whole workspace, or at least one member.',
          tag: 'Lists',
          scopes: WRITE,
          body: CreateListBody,
          response: ListResponse,
        },
        async ({ context, body }) => ({ data: await createList(context, body.data) }),
      ),
    )
    .get(
      '/v2/lists/:list',
      ...guard(
        { operation: 'getList', summary: 'Get a list', tag: 'Lists', scopes: READ, response: ListResponse },
        ({ context, params }) => ({ data: readList(context, params.list) }),
      ),
    )
    .patch(
      '/v2/lists/:list',
      ...guard(
        {
          operation: 'updateList',
          summary: 'Rename a list or change who may do what with it',
          description: 'An access member that is sent replaces what there was. An old slug stops working at once.',
          tag: 'Lists',
          scopes: WRITE,
          body: UpdateListBody,
          response: ListResponse,
        },
        async ({ context, params, body }) => ({ data: await updateList(context, params.list, body.data) }),
      ),
    )
    .delete(
      '/v2/lists/:list',
      ...guard(
        {
          operation: 'deleteList',
          summary: 'Delete a list',
          description: 'Permanent: its entries and attributes go, the records they stand for stay.',
          tag: 'Lists',
          scopes: WRITE,
          response: Type.Object({}),
        },
        async ({ context, params }) => {
          await deleteList(context, params.list)
          return {}
        },
      ),
    )

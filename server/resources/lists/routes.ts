import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Door } from '../../http/guard/route'
import { createList } from './create'
import { deleteList } from './delete'
import { listLists, readList } from './get'
import { CreateListBody, ListResponse, ListsResponse, UpdateListBody } from './schemas'
import { updateList } from './update'

const READ = ['list_configuration:read'] as const
const WRITE = ['list_configuration:read-write'] as const

export const listRoutes = (door: Door) =>
  new Elysia({ name: 'lists' })
    .get(
      '/v2/lists',
      ...door(
        {
          operation: 'listLists',
          summary: 'List lists',
          description: 'All lists that the token may see, in the order of their creation.',
          tag: 'Lists',
          scopes: READ,
          response: ListsResponse,
        },
        ({ call }) => ({ data: listLists(call) }),
      ),
    )
    .post(
      '/v2/lists',
      ...door(
        {
          operation: 'createList',
          summary: 'Create a list',
          description: 'Somebody must have full access: the whole workspace, or at least one member.',
          tag: 'Lists',
          scopes: WRITE,
          body: CreateListBody,
          response: ListResponse,
        },
        async ({ call, body }) => ({ data: await createList(call, body.data) }),
      ),
    )
    .get(
      '/v2/lists/:list',
      ...door(
        { operation: 'getList', summary: 'Get a list', tag: 'Lists', scopes: READ, response: ListResponse },
        ({ call, params }) => ({ data: readList(call, params.list) }),
      ),
    )
    .patch(
      '/v2/lists/:list',
      ...door(
        {
          operation: 'updateList',
          summary: 'Rename a list or change who may do what with it',
          description: 'An access member that is sent replaces what there was. An old slug stops working at once.',
          tag: 'Lists',
          scopes: WRITE,
          body: UpdateListBody,
          response: ListResponse,
        },
        async ({ call, params, body }) => ({ data: await updateList(call, params.list, body.data) }),
      ),
    )
    .delete(
      '/v2/lists/:list',
      ...door(
        {
          operation: 'deleteList',
          summary: 'Delete a list',
          description: 'Permanent: its entries and attributes go, the records they stand for stay.',
          tag: 'Lists',
          scopes: WRITE,
          response: Type.Object({}),
        },
        async ({ call, params }) => {
          await deleteList(call, params.list)
          return {}
        },
      ),
    )

import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { RouteGuard } from '#api/http/guard/route'
import { createList, deleteList, listLists, readList, updateList } from './lists'
import { CreateListBody, ListResponse, ListsResponse, UpdateListBody } from './schemas'

const READ = ['list_configuration:read'] as const
const WRITE = ['list_configuration:read-write'] as const

export const listRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'lists' })
    .get(
      ...guard(
        '/v2/lists',
        {
          operation: 'listLists',
          summary: 'List lists',
          description: 'All lists that the token can see, in the order of their creation.',
          tag: 'Lists',
          scopes: READ,
          response: ListsResponse,
        },
        ({ context }) => ({ data: listLists(context) }),
      ),
    )
    .post(
      ...guard(
        '/v2/lists',
        {
          operation: 'createList',
          summary: 'Create a list',
          description: 'The whole workspace or at least one member must have full access.',
          tag: 'Lists',
          scopes: WRITE,
          body: CreateListBody,
          response: ListResponse,
        },
        async ({ context, body }) => ({ data: await createList(context, body.data) }),
      ),
    )
    .get(
      ...guard(
        '/v2/lists/:list',
        { operation: 'getList', summary: 'Get a list', tag: 'Lists', scopes: READ, response: ListResponse },
        ({ context, params }) => ({ data: readList(context, params.list) }),
      ),
    )
    .patch(
      ...guard(
        '/v2/lists/:list',
        {
          operation: 'updateList',
          summary: 'Change the names of a list or the access to it',
          description: 'Each access member of the request replaces the present one. An old slug is not found any more.',
          tag: 'Lists',
          scopes: WRITE,
          body: UpdateListBody,
          response: ListResponse,
        },
        async ({ context, params, body }) => ({ data: await updateList(context, params.list, body.data) }),
      ),
    )
    .delete(
      ...guard(
        '/v2/lists/:list',
        {
          operation: 'deleteList',
          summary: 'Delete a list',
          description: 'Permanent, with its entries and attributes. The parent records remain.',
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

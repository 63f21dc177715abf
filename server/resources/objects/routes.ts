import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Door } from '../../http/guard/route'
import { createObject } from './create'
import { deleteObject } from './delete'
import { listObjects, readObject } from './get'
import { CreateObjectBody, DeleteObjectQuery, ObjectListResponse, ObjectResponse, UpdateObjectBody } from './schemas'
import { updateObject } from './update'

const READ = ['object_configuration:read'] as const
const WRITE = ['object_configuration:read-write'] as const

export const objectRoutes = (door: Door) =>
  new Elysia({ name: 'objects' })
    .get(
      '/v2/objects',
      ...door(
        {
          operation: 'listObjects',
          summary: 'List objects',
          description: 'All objects that are switched on, in the order of their creation.',
          tag: 'Objects',
          scopes: READ,
          response: ObjectListResponse,
        },
        ({ call }) => ({ data: listObjects(call) }),
      ),
    )
    .post(
      '/v2/objects',
      ...door(
        {
          operation: 'createObject',
          summary: 'Create an object',
          description: 'A custom object has the attributes `record_id`, `created_at` and `created_by`; add your own.',
          tag: 'Objects',
          scopes: WRITE,
          body: CreateObjectBody,
          response: ObjectResponse,
        },
        async ({ call, body }) => ({ data: await createObject(call, body.data) }),
      ),
    )
    .get(
      '/v2/objects/:object',
      ...door(
        { operation: 'getObject', summary: 'Get an object', tag: 'Objects', scopes: READ, response: ObjectResponse },
        ({ call, params }) => ({ data: readObject(call, params.object) }),
      ),
    )
    .patch(
      '/v2/objects/:object',
      ...door(
        {
          operation: 'updateObject',
          summary: 'Rename an object',
          description: 'The slug of a standard object cannot change. An old slug stops working at once.',
          tag: 'Objects',
          scopes: WRITE,
          body: UpdateObjectBody,
          response: ObjectResponse,
        },
        async ({ call, params, body }) => ({ data: await updateObject(call, params.object, body.data) }),
      ),
    )
    .delete(
      '/v2/objects/:object',
      ...door(
        {
          operation: 'deleteObject',
          summary: 'Delete a custom object',
          description:
            'Permanent: its records, its attributes and all references to it go. `force` deletes records too.',
          tag: 'Objects',
          scopes: WRITE,
          query: DeleteObjectQuery,
          response: Type.Object({}),
        },
        async ({ call, params, query }) => {
          await deleteObject(call, params.object, { force: query.force === true })
          return {}
        },
      ),
    )

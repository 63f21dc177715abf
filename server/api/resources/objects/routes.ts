import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { RouteGuard } from '#api/http/guard/route'
import { createObject, deleteObject, listObjects, readObject, updateObject } from './objects'
import { CreateObjectBody, DeleteObjectQuery, ObjectListResponse, ObjectResponse, UpdateObjectBody } from './schemas'

const READ = ['object_configuration:read'] as const
const WRITE = ['object_configuration:read-write'] as const

export const objectRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'objects' })
    .get(
      ...guard(
        '/v2/objects',
        {
          operation: 'listObjects',
          summary: 'List objects',
          description: 'All enabled objects, in the order of their creation.',
          tag: 'Objects',
          scopes: READ,
          response: ObjectListResponse,
        },
        ({ context }) => ({ data: listObjects(context) }),
      ),
    )
    .post(
      ...guard(
        '/v2/objects',
        {
          operation: 'createObject',
          summary: 'Create an object',
          description: 'A custom object has the attributes `record_id`, `created_at` and `created_by`; add your own.',
          tag: 'Objects',
          scopes: WRITE,
          body: CreateObjectBody,
          response: ObjectResponse,
        },
        async ({ context, body }) => ({ data: await createObject(context, body.data) }),
      ),
    )
    .get(
      ...guard(
        '/v2/objects/:object',
        { operation: 'getObject', summary: 'Get an object', tag: 'Objects', scopes: READ, response: ObjectResponse },
        ({ context, params }) => ({ data: readObject(context, params.object) }),
      ),
    )
    .patch(
      ...guard(
        '/v2/objects/:object',
        {
          operation: 'updateObject',
          summary: 'Rename an object',
          description: 'The slug of a standard object cannot change. An old slug is not found any more.',
          tag: 'Objects',
          scopes: WRITE,
          body: UpdateObjectBody,
          response: ObjectResponse,
        },
        async ({ context, params, body }) => ({ data: await updateObject(context, params.object, body.data) }),
      ),
    )
    .delete(
      ...guard(
        '/v2/objects/:object',
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
        async ({ context, params, query }) => {
          await deleteObject(context, params.object, { force: query.force === true })
          return {}
        },
      ),
    )

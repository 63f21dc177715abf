import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { isDryRun } from '#api/http/dry-run/dry-run'
import {
  countDeletion,
  deleteObject,
  deleteObjectForGood,
  listTrashedObjects,
  restoreObject,
  createObject,
  listObjects,
  readObject,
  updateObject,
} from './objects'
import {
  CreateObjectBody,
  DeleteObjectQuery,
  DeletionAnswer,
  ObjectListResponse,
  ObjectResponse,
  RestoreObjectBody,
  TrashedObjectsAnswer,
  UpdateObjectBody,
} from './schemas'

const READ = ['object_configuration:read'] as const
const WRITE = ['object_configuration:read-write'] as const
/** What a deletion takes with it is both the data model and records. */
const DELETE = ['object_configuration:read-write', 'record_permission:read-write'] as const

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
            'With its records and its attributes, the lists of its records, and all references to it. It can be restored from the trash for some days.',
          tag: 'Objects',
          scopes: DELETE,
          query: DeleteObjectQuery,
          response: DeletionAnswer,
        },
        async ({ context, params, query, request }) => {
          if (query.permanent === true) await deleteObjectForGood(context, params.object)
          else if (isDryRun(request)) return { data: await countDeletion(context, params.object) }
          else await deleteObject(context, params.object)
          return {}
        },
      ),
    )
    .get(
      ...guard(
        '/v2/trash/objects',
        {
          operation: 'listTrashedObjects',
          summary: 'List deleted objects that can be restored',
          description: 'The newest deletion first.',
          tag: 'Objects',
          scopes: READ,
          response: TrashedObjectsAnswer,
        },
        async ({ context }) => ({ data: await listTrashedObjects(context) }),
      ),
    )
    .post(
      ...guard(
        '/v2/objects/:object/restore',
        {
          operation: 'restoreObject',
          summary: 'Restore a deleted object',
          description:
            'With everything that was deleted with it. It is named by its id. The body can give it other names, where another object has them meanwhile.',
          tag: 'Objects',
          scopes: DELETE,
          body: RestoreObjectBody,
          bodyOptional: true,
          response: ObjectResponse,
        },
        async ({ context, params, body }) => ({ data: await restoreObject(context, params.object, body.data ?? {}) }),
      ),
    )

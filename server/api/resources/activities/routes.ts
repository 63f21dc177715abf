import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { isDryRun } from '#api/http/dry-run/dry-run'
import {
  createActivity,
  listActivities,
  readActivity,
  updateActivity,
  countActivityDeletion,
  deleteActivity,
  deleteActivityForGood,
  listTrashedActivities,
  restoreActivity,
} from './activities'
import {
  ActivitiesAnswer,
  ActivityAnswer,
  ActivityDeletionAnswer,
  CreateActivityBody,
  DeleteActivityQuery,
  ListActivitiesQuery,
  RestoreActivityBody,
  TrashedActivitiesAnswer,
  UpdateActivityBody,
} from './schemas'

const tag = 'Activities'
const READ = ['activity_configuration:read'] as const
const WRITE = ['activity_configuration:read-write'] as const
/** What a deletion takes with it is both the data model and records. */
const DELETE = ['activity_configuration:read-write', 'activity_record:read-write'] as const

export const activityRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'activities' })
    .get(
      ...guard(
        '/v2/activities',
        {
          operation: 'listActivities',
          summary: 'List activities',
          description: 'All activities, in the order of their creation.',
          tag,
          scopes: READ,
          query: ListActivitiesQuery,
          response: ActivitiesAnswer,
        },
        ({ context, query }) => listActivities(context, query),
      ),
    )
    .post(
      ...guard(
        '/v2/activities',
        {
          operation: 'createActivity',
          summary: 'Create an activity',
          description: 'The activity gets the attributes of the schema that it extends; add your own.',
          tag,
          scopes: WRITE,
          body: CreateActivityBody,
          response: ActivityAnswer,
        },
        async ({ context, body }) => ({ data: await createActivity(context, body.data) }),
      ),
    )
    .get(
      ...guard(
        '/v2/activities/:activity',
        { operation: 'getActivity', summary: 'Get an activity', tag, scopes: READ, response: ActivityAnswer },
        ({ context, params }) => ({ data: readActivity(context, params.activity) }),
      ),
    )
    .patch(
      ...guard(
        '/v2/activities/:activity',
        {
          operation: 'updateActivity',
          summary: 'Rename an activity',
          description: 'The slug of a system activity cannot change. An old slug is not found any more.',
          tag,
          scopes: WRITE,
          body: UpdateActivityBody,
          response: ActivityAnswer,
        },
        async ({ context, params, body }) => ({ data: await updateActivity(context, params.activity, body.data) }),
      ),
    )
    .delete(
      ...guard(
        '/v2/activities/:activity',
        {
          operation: 'deleteActivity',
          summary: 'Delete a custom activity',
          description:
            'With its records, its attributes and all references to it. It can be restored from the trash for some days.',
          tag,
          scopes: DELETE,
          query: DeleteActivityQuery,
          response: ActivityDeletionAnswer,
        },
        async ({ context, params, query, request }) => {
          if (query.permanent === true) await deleteActivityForGood(context, params.activity)
          else if (isDryRun(request)) return { data: await countActivityDeletion(context, params.activity) }
          else await deleteActivity(context, params.activity)
          return {}
        },
      ),
    )
    .get(
      ...guard(
        '/v2/trash/activities',
        {
          operation: 'listTrashedActivities',
          summary: 'List deleted activities that can be restored',
          description: 'The newest deletion first.',
          tag,
          scopes: READ,
          response: TrashedActivitiesAnswer,
        },
        async ({ context }) => ({ data: await listTrashedActivities(context) }),
      ),
    )
    .post(
      ...guard(
        '/v2/activities/:activity/restore',
        {
          operation: 'restoreActivity',
          summary: 'Restore a deleted activity',
          description:
            'With everything that was deleted with it. It is named by its id. The body can give it other names, where its slug is taken meanwhile.',
          tag,
          scopes: DELETE,
          body: RestoreActivityBody,
          bodyOptional: true,
          response: ActivityAnswer,
        },
        async ({ context, params, body }) => ({
          data: await restoreActivity(context, params.activity, body.data ?? {}),
        }),
      ),
    )

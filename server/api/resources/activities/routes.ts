import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { EmptyAnswer } from '#base/validation/shapes'
import { createActivity, deleteActivity, listActivities, readActivity, updateActivity } from './activities'
import {
  ActivitiesAnswer,
  ActivityAnswer,
  CreateActivityBody,
  ListActivitiesQuery,
  UpdateActivityBody,
} from './schemas'

const tag = 'Activities'
const READ = ['activity_configuration:read'] as const
const WRITE = ['activity_configuration:read-write'] as const

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
          description: 'Permanent: its records, also those in the trash, its attributes and all references to it go.',
          tag,
          scopes: ['activity_configuration:read-write', 'activity_record:read-write'],
          response: EmptyAnswer,
        },
        async ({ context, params }) => {
          await deleteActivity(context, params.activity)
          return {}
        },
      ),
    )

import { Elysia } from 'elysia'
import type { Access } from '../../access/authenticate'
import { IntrospectionSchema } from '../../access/introspection-schemas'
import type { Door } from '../../http/guard/route'
import type { Platform } from '../../platform'
import { introspect } from './introspect'

export const selfRoutes = (door: Door, platform: Platform, access: Access) =>
  new Elysia({ name: 'self' }).get(
    '/v2/self',
    ...door.open(
      {
        operation: 'getSelf',
        summary: 'Identify the token',
        description:
          'A revoked or unknown token answers 200 with `active: false`; look at `active`, not at the status.',
        tag: 'Meta',
        response: IntrospectionSchema,
      },
      ({ request }) => introspect(platform, access, request.headers.get('authorization')),
    ),
  )

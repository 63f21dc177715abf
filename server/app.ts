/** The application, one line per resource. */

import { Elysia } from 'elysia'
import { createMigratedCheck } from '../db/is-migrated'
import { createAccess } from './access/authenticate'
import { createAnswers } from './http/answer'
import { docsRoutes } from './http/docs'
import { createDoor } from './http/door'
import { gate } from './http/gate'
import { healthRoutes } from './http/health'
import type { Platform } from './platform'
import { attributeRoutes } from './resources/attributes/routes'
import { entryRoutes } from './resources/entries/routes'
import { listRoutes } from './resources/lists/routes'
import { objectRoutes } from './resources/objects/routes'
import { recordRoutes } from './resources/records/routes'
import { selfRoutes } from './resources/self/routes'
import { viewRoutes } from './resources/views/routes'

export function createApp(platform: Platform) {
  const { brand, appUrl } = platform.settings
  const answers = createAnswers(brand)
  const access = createAccess(platform.db, platform.now)
  const door = createDoor(platform, access.authenticate)

  // Elysia routes and collects the document; what it would do with bodies and answers the door does. Decision 0010.
  return new Elysia({ normalize: false })
    .use(gate(answers, brand))
    .use(healthRoutes(answers, createMigratedCheck(platform.db)))
    .use(selfRoutes(door, platform, access))
    .use(objectRoutes(door))
    .use(attributeRoutes(door))
    .use(recordRoutes(door))
    .use(listRoutes(door))
    .use(entryRoutes(door))
    .use(viewRoutes(door))
    .use(docsRoutes(answers, appUrl))
}

export type App = ReturnType<typeof createApp>

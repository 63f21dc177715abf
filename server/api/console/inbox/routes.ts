import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { getInboxSettings, readAll, readInbox, readOne, updateInboxSettings } from './inbox'
import { InboxQuery, InboxSettingsBody, ReadAllBody } from './schemas'

const INBOX = '/console/api/workspaces/:workspace_id/inbox'

export const inboxRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-inbox' })
    .get(INBOX, ...guard.member({ query: InboxQuery }, ({ member, query }) => readInbox(appContext, member, query)))
    .post(
      `${INBOX}/read`,
      ...guard.member({ body: ReadAllBody, bodyOptional: true }, ({ member, body }) =>
        readAll(appContext, member, body),
      ),
    )
    .post(
      `${INBOX}/:notification_id/read`,
      ...guard.member({}, ({ member, params }) => readOne(appContext, member, params.notification_id)),
    )
    .get(`${INBOX}/settings`, ...guard.member({}, ({ member }) => getInboxSettings(appContext, member)))
    .patch(
      `${INBOX}/settings`,
      ...guard.member({ body: InboxSettingsBody }, ({ member, body }) => updateInboxSettings(appContext, member, body)),
    )

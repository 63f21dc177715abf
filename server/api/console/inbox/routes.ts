import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { getInboxSettings, readAll, readInbox, readOne, updateInboxSettings } from './inbox'
import { InboxPage, InboxQuery, InboxSettingsAnswer, InboxSettingsBody, ReadAllBody, UnreadAnswer } from './schemas'

const INBOX = '/console/api/workspaces/:workspace_id/inbox'

export const inboxRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-inbox' })
    .get(
      INBOX,
      ...guard.member({ response: InboxPage, query: InboxQuery }, ({ member, query }) =>
        readInbox(appContext, member, query),
      ),
    )
    .post(
      `${INBOX}/read`,
      ...guard.member({ response: UnreadAnswer, body: ReadAllBody, bodyOptional: true }, ({ member, body }) =>
        readAll(appContext, member, body),
      ),
    )
    .post(
      `${INBOX}/:notification_id/read`,
      ...guard.member({ response: UnreadAnswer }, ({ member, params }) =>
        readOne(appContext, member, params.notification_id),
      ),
    )
    .get(
      `${INBOX}/settings`,
      ...guard.member({ response: InboxSettingsAnswer }, ({ member }) => getInboxSettings(appContext, member)),
    )
    .patch(
      `${INBOX}/settings`,
      ...guard.member({ response: InboxSettingsAnswer, body: InboxSettingsBody }, ({ member, body }) =>
        updateInboxSettings(appContext, member, body),
      ),
    )

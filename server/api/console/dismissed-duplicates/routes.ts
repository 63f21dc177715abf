import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { dismiss, showDismissals, withdrawDismissal } from './dismissals'
import { Dismissal, DismissalsQuery } from './schemas'

const DISMISSALS = '/console/api/workspaces/:workspace_id/dismissed-duplicates'

export const dismissedDuplicateRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-dismissed-duplicates' })
    .get(
      DISMISSALS,
      ...guard.member({ query: DismissalsQuery }, ({ member, query }) => showDismissals(appContext, member, query)),
    )
    .post(DISMISSALS, ...guard.member({ body: Dismissal }, ({ member, body }) => dismiss(appContext, member, body)))
    .delete(
      DISMISSALS,
      ...guard.member({ query: Dismissal }, ({ member, query }) => withdrawDismissal(appContext, member, query)),
    )

import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { dismiss, showDismissals, withdrawDismissal } from './dismissals'
import { Dismissal, DismissalsAnswer, DismissalsQuery } from './schemas'
import { Nothing } from '#api/console/schemas'

const DISMISSALS = '/console/api/workspaces/:workspace_id/dismissed-duplicates'

export const dismissedDuplicateRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-dismissed-duplicates' })
    .get(
      DISMISSALS,
      ...guard.member({ response: DismissalsAnswer, query: DismissalsQuery }, ({ member, query }) =>
        showDismissals(appContext, member, query),
      ),
    )
    .post(
      DISMISSALS,
      ...guard.member({ response: Nothing, body: Dismissal }, ({ member, body }) => dismiss(appContext, member, body)),
    )
    .delete(
      DISMISSALS,
      ...guard.member({ response: Nothing, query: Dismissal }, ({ member, query }) =>
        withdrawDismissal(appContext, member, query),
      ),
    )

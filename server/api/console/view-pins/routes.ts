import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { listPins, pinView, unpinView } from './view-pins'
import { ViewPinsAnswer } from './schemas'
import { Nothing } from '#api/console/schemas'

const PINS = '/console/api/workspaces/:workspace_id/view-pins'

export const viewPinRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-view-pins' })
    .get(
      PINS,
      ...guard.member({ response: ViewPinsAnswer }, async ({ member }) => ({
        data: await listPins(appContext, member),
      })),
    )
    .put(
      `${PINS}/:view_id`,
      ...guard.member({ response: Nothing }, async ({ member, params }) => {
        await pinView(appContext, member, params.view_id)
        return {}
      }),
    )
    .delete(
      `${PINS}/:view_id`,
      ...guard.member({ response: Nothing }, async ({ member, params }) => {
        await unpinView(appContext, member, params.view_id)
        return {}
      }),
    )
